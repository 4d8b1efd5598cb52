import BrumeModel
import BrumeStorage
import Testing

@Suite struct CommitSignalsTests {
  @Test func `a listener that is slow gets the buckets of all commits at once`() async {
    let signals = CommitSignals()
    let hints = signals.hints()
    signals.signal([Bucket(1)])
    signals.signal([Bucket(2), Bucket(1)])
    var iterator = hints.makeAsyncIterator()
    #expect(await iterator.next() == [Bucket(1), Bucket(2)])
    signals.signal([Bucket(3)])
    #expect(await iterator.next() == [Bucket(3)])
  }

  /// The notifier listens anew each time that it begins again, without ever having been cancelled.
  @Test func `a listener that nobody holds any more is forgotten`() {
    let signals = CommitSignals()
    for _ in 0..<3 { _ = signals.hints() }
    #expect(signals.listenerCount == 0)
    withExtendedLifetime(signals.hints()) { #expect(signals.listenerCount == 1) }
  }

  @Test func `listening ends with the store, also for who begins afterwards`() async {
    let signals = CommitSignals()
    var before = signals.hints().makeAsyncIterator()
    signals.finish()
    var after = signals.hints().makeAsyncIterator()
    #expect(await before.next() == nil)
    #expect(await after.next() == nil)
  }
}
