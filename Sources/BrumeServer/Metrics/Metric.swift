// Every metric of the server, once: its name, kind, unit, labels and one sentence of meaning. The text
// of `/_brume/metrics` and `docs/reference/metrics.md` say what stands here. Who counts is
// `ServerMetrics.swift`; what is read from the store when somebody asks is `MetricsRoute.swift`.

/// A metric as scrapers see it.
package struct Metric: Sendable {
  /// How its values are to be read, as Prometheus calls it.
  package enum Kind: String, Sendable {
    case counter, gauge, histogram
  }
  package let name: String
  package let kind: Kind
  package let unit: String
  /// Each set of their values is a series of its own, so each label has few values.
  package let labels: [String]
  /// On one line.
  package let meaning: String

  private init(
    _ name: String, _ kind: Kind, _ unit: String, by labels: [String] = [], _ meaning: String
  ) {
    self.name = name
    self.kind = kind
    self.unit = unit
    self.labels = labels
    self.meaning = meaning
  }
}

// MARK: Requests

extension Metric {
  static let requests = Metric(
    "brume_http_requests_total", .counter, "requests", by: ["method", "route", "status"],
    "Requests that were answered; the status is its family, such as 2xx.")
  static let requestTime = Metric(
    "brume_http_request_seconds", .histogram, "seconds", by: ["route"],
    "How long a request took, from its header to the head of its answer.")
  static let refusedConnections = Metric(
    "brume_connections_refused_total", .counter, "connections",
    "Connections that were closed because their address had its share.")
  static let droppedSpans = Metric(
    "brume_trace_spans_dropped_total", .counter, "spans",
    "Spans that the collector of traces did not take; absent while none are sent.")
  static let lostLogLines = Metric(
    "brume_log_lines_lost_total", .counter, "lines",
    "Lines of the server's own log that are missing in it, because nobody read it or it could not be written; absent "
      + "within another program.")
  static let certificateEnd = Metric(
    "brume_tls_certificate_end_timestamp_seconds", .gauge, "seconds",
    "When the TLS certificate ceases to be good, in seconds since 1970; absent without TLS.")
  static let clockDifference = Metric(
    "brume_clock_difference_seconds", .gauge, "seconds",
    "How far this machine's clock is ahead of the database's, by which servers go, negative if it is behind; absent "
      + "without PostgreSQL.")
  static let ready = Metric(
    "brume_ready", .gauge, "1 or 0", "1 while the server answers and its store has not failed.")
}

// MARK: Data

extension Metric {
  static let savedRecords = Metric(
    "brume_records_saved_total", .counter, "records", "Records that records/modify saved.")
  static let deletedRecords = Metric(
    "brume_records_deleted_total", .counter, "records", "Records that records/modify deleted.")
  static let forgottenDeletions = Metric(
    "brume_deletions_forgotten_total", .counter, "deletions",
    "Deleted records that zones do not remember any more, because they were older than --deletion-days says or an "
      + "operator asked for it.")
  static let uploadedBytes = Metric(
    "brume_assets_uploaded_bytes_total", .counter, "bytes", "Bytes of uploads that were taken.")
  static let downloadedBytes = Metric(
    "brume_assets_downloaded_bytes_total", .counter, "bytes", "Bytes of files that were sent.")
  static let logPosition = Metric(
    "brume_log_position", .gauge, "entries", "The last position of the log.")
  static let damagedRows = Metric(
    "brume_damaged_rows_total", .counter, "reads",
    "Reads that met a stored row or file which does not fit its checksum, or a damaged page; what to do is in "
      + "docs/operating/data-folder.md.")
  static let unfinishedIndexes = Metric(
    "brume_index_fields_unfinished", .gauge, "fields",
    "Fields that queries asked for and whose index does not have all records yet.")
  static let indexedRecords = Metric(
    "brume_index_records_taken_in", .gauge, "records",
    "Records that were taken into indexes since the start, beside requests.")
}

// MARK: From the log to mailboxes

extension Metric {
  static let notifierLag = Metric(
    "brume_notifier_lag_entries", .gauge, "entries",
    "Log entries that the notifier still has before it.")
  static let notifierDelay = Metric(
    "brume_notifier_lag_seconds", .gauge, "seconds",
    "The age of the oldest change that the notifier has not finished; 0 if there is none.")
  static let unservedSubscriptions = Metric(
    "brume_notifier_unserved_subscriptions", .gauge, "subscriptions",
    "Of the change that is being served: matching subscriptions that are left.")
  static let subscriptions = Metric(
    "brume_notifier_subscriptions", .gauge, "subscriptions", "Subscriptions that are matched.")
  static let notificationsMade = Metric(
    "brume_notifications_made", .gauge, "notifications",
    "Notifications made since the start, one for each change and subscription.")
  static let mailboxEntries = Metric(
    "brume_mailbox_entries_written", .gauge, "entries",
    "Entries put into mailboxes since the start, one for each notification and device.")
  static let mailboxOverflows = Metric(
    "brume_mailbox_overflows", .gauge, "mailboxes",
    "How often since the start one 'fetch everything' took the place of a full mailbox.")
}

// MARK: From mailboxes to devices

extension Metric {
  static let connectedStreams = Metric(
    "brume_streams_connected", .gauge, "streams", "Event streams that are open.")
  static let waitingPolls = Metric(
    "brume_courier_polls_waiting", .gauge, "polls", "Long polls of the courier that wait.")
  static let listeningDevices = Metric(
    "brume_devices_listening", .gauge, "devices",
    "Devices that a poll waits for, and open event streams.")
  static let delivered = Metric(
    "brume_notifications_delivered_total", .counter, "pushes",
    "Pushes written to event streams and answered to polls; one that is sent again counts again.")
  static let pushes = Metric(
    "brume_pushes_total", .counter, "answers", by: ["channel", "verdict"],
    "Answers of APNs, Web Push services and webhooks; the verdicts are in docs/operating/push.md.")
  static let pushTime = Metric(
    "brume_push_seconds", .histogram, "seconds", by: ["channel"],
    "How long a call to APNs, a Web Push service or a webhook took.")
  static let pushLanes = Metric(
    "brume_push_lanes", .gauge, "lanes", "Devices and webhooks that have something to send.")
  static let pushesUnderWay = Metric(
    "brume_pushes_under_way", .gauge, "calls",
    "Calls to APNs, Web Push services and webhooks that wait for their answer.")

  package static let all: [Metric] = [
    requests, requestTime, refusedConnections, certificateEnd, droppedSpans, lostLogLines,
    clockDifference, ready, savedRecords, deletedRecords, forgottenDeletions, uploadedBytes,
    downloadedBytes, logPosition, damagedRows,
    unfinishedIndexes, indexedRecords, notifierLag,
    notifierDelay,
    unservedSubscriptions, subscriptions,
    notificationsMade, mailboxEntries, mailboxOverflows, connectedStreams, waitingPolls,
    listeningDevices, delivered, pushes, pushTime, pushLanes, pushesUnderWay,
  ]

  /// By name.
  package static let meanings = Dictionary(
    all.map { ($0.name, $0.meaning) }, uniquingKeysWith: { first, _ in first })
}
