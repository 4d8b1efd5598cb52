// What handlers, streams and the notifier call: the rules, mailboxes and deliveries themselves. Only a
// development server puts faults before each of them.

import BrumeCore
import BrumeNotifier

struct CallTargets: Sendable {
  let rules: any RuleCalls
  let streamSource: any StreamSource
  let delivery: any EntryDelivery

  init(engine: Engine, mailboxes: MailboxSource, delivery: ServerDelivery) {
    self.init(
      rules: EngineCalls(engine: engine), streamSource: mailboxes, delivery: delivery)
  }

  private init(
    rules: any RuleCalls, streamSource: any StreamSource, delivery: any EntryDelivery
  ) {
    self.rules = rules
    self.streamSource = streamSource
    self.delivery = delivery
  }

  /// The same, with faults before them.
  func behind(_ faults: PushFaults, engine: Engine) -> CallTargets {
    CallTargets(
      rules: FaultyCalls(
        rules: rules, records: engine.records, removal: ZoneRemoval(engine),
        injector: faults.injector),
      streamSource: FaultyStreamSource(source: streamSource, faults: faults),
      delivery: FaultyDelivery(delivery: delivery, faults: faults))
  }
}
