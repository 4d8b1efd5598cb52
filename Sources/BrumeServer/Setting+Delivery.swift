// The settings of delivery to the outside: APNs, Web Push, webhooks.

import BrumeModel
import BrumePush

extension Setting {
  package static let apnsURL = Setting(
    key: "apns.url", kind: .text, fallback: defaults.outside.apns.production, form: "URL",
    help: "Apple's push server for devices of the production environment.")
  package static let apnsSandboxURL = Setting(
    key: "apns.sandbox.url", kind: .text, fallback: defaults.outside.apns.sandbox,
    form: "URL", help: "Apple's push server for devices of the development environment.")
  package static let apnsConcurrency = Setting(
    key: "apns.concurrency", kind: .number, fallback: "\(defaults.outside.apnsConcurrency)",
    form: "NUMBER",
    help: "How many pushes may be under way to one of Apple's servers at once.")
  package static let pushConcurrency = Setting(
    key: "push.concurrency", kind: .number, fallback: "\(defaults.outside.concurrency)",
    form: "NUMBER",
    help: "How many messages may be under way to one Web Push service or webhook host at once.")
  package static let pushTimeout = Setting(
    key: "push.timeout", kind: .number, fallback: "\(defaults.outside.timeout)", form: "SECONDS",
    help: "How long one call to APNs, a Web Push service or a webhook may take.")
  package static let pushContact = Setting(
    key: "push.contact", kind: .text, fallback: defaults.outside.contact, form: "ADDRESS",
    help: "A mailto: or https: address under which Web Push services reach the operator.")
  package static let pushAllow = Setting(
    key: "push.allow", kind: .text, fallback: "", form: "LIST",
    help: "Own hosts (or host:port) that webhooks may call though they are private.")
  package static let webPushAllow = Setting(
    key: "webpush.allow", kind: .text, fallback: "", form: "LIST",
    help: "Own push services (or host:port) that users' devices may name though they are private.")
  package static let pushTrust = Setting(
    key: "push.trust", kind: .text, fallback: nil, form: "FILE",
    help:
      "A PEM file with root certificates to trust beside the system's, for calls to the outside.")
  package static let pushLog = Setting(
    key: "push.log", kind: .number, fallback: "\(defaults.limits.pushLogRows)", form: "ROWS",
    help: "How many attempts to deliver the push log remembers.")
  package static let historyHours = Setting(
    key: "history.hours", kind: .number, fallback: "\(defaults.limits.historyAge / 3_600_000)",
    form: "HOURS",
    help:
      "How long changes and their deliveries are remembered for 'brume push explain'; 0: not at all."
  )
  package static let historyRows = Setting(
    key: "history.rows", kind: .number, fallback: "\(defaults.limits.historyRows)", form: "ROWS",
    help:
      "How many changes, and how many deliveries, that history keeps at most; 1000 with the memory store."
  )
  package static let webhookFailures = Setting(
    key: "webhook.failures", kind: .number, fallback: "\(defaults.limits.webhookFailures)",
    form: "NUMBER",
    help: "After how many failures in a row a webhook is switched off.")
  static let ofDelivery: [Setting] = [
    apnsURL, apnsSandboxURL, apnsConcurrency, pushConcurrency, pushTimeout, pushContact, pushAllow,
    webPushAllow, pushTrust, pushLog, historyHours, historyRows, webhookFailures,
  ]
}
