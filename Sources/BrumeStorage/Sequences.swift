// The port's part for the sequences of databases.

package import BrumeModel

/// Every call throws what ``ReadTransaction`` says.
package protocol SequenceReading: AnyObject {
  /// The database's last sequence; 0 if nothing was ever written.
  func last(in database: DatabaseKey) throws -> Int64
}

/// Every call throws what ``WriteTransaction`` says, and the `BrumeError` for damage if the floor cannot be
/// read. The write's scope has the database, `server` to raise the floor.
package protocol SequenceWriting: SequenceReading {
  /// The next sequence of the database. Taken under the database's lock, so commit order is
  /// sequence order.
  func next(in database: DatabaseKey) throws -> Int64
  /// From now on every sequence that is given, in whichever database, is above `floor`.
  func raise(above floor: Int64) throws
}
