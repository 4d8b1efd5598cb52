// Version 8: devices that are sent to, in the order of mailboxes, so that a look for those with mail passes over all others.
// The index `devices_pushed` stays for servers of the version before; no statement of this one uses it.

extension Migrations {
  static let pushedDevices = """
    CREATE INDEX devices_pushed_by_key ON devices ((bucket + 0), container, environment, user_id, device)
      WHERE channel IN ('apns', 'webpush');

    """
}
