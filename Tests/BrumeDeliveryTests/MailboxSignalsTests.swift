import BrumeDelivery
import BrumeModel
import BrumePush
import Synchronization
import Testing

@Suite(.timeLimit(.minutes(10))) struct MailboxSignalsTests {
  private let phone = MailboxFixture().phone
  private let tablet = DeviceKey(
    in: ContainerEnvironment(ContainerID("iCloud.c"), .development), user: UserID("_alice"),
    device: DeviceID("tablet"))

  @Test func `a signal before the wait ends the wait at once, and only one`() async {
    let signals = MailboxSignals()
    let listener = signals.listen(to: phone)
    signals.signal(phone)
    signals.signal(phone)
    await listener.wait()
    async let second: Void = listener.wait()
    signals.signal(phone)
    await second
    listener.stop()
    #expect(signals.listenedDevices == 0)
  }

  @Test func `all listeners of a device are signalled, nobody else`() async {
    let signals = MailboxSignals()
    let receivers = [signals.listen(to: phone), signals.listen(to: phone)]
    let other = signals.listen(to: tablet)
    signals.signal([phone])
    for receiver in receivers { await receiver.wait() }
    let woken = Counter()
    await withTaskGroup(of: Void.self) { group in
      group.addTask {
        await other.wait()
        woken.add()
      }
      for receiver in receivers { receiver.stop() }
      #expect(woken.value == 0)
      signals.signal(tablet)
    }
    #expect(woken.value == 1)
    other.stop()
    #expect(signals.listenedDevices == 0)
  }

  @Test func `a cancelled wait returns`() async {
    let signals = MailboxSignals()
    let listener = signals.listen(to: phone)
    await withTaskGroup(of: Void.self) { group in
      group.addTask { await listener.wait() }
      group.cancelAll()
    }
    listener.stop()
  }

  @Test func `no signal is lost between looking and waiting`() async {
    let signals = MailboxSignals()
    let phone = phone
    let made = Counter()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          // Each reader ends only if it learns of the last change.
          let listener = signals.listen(to: phone)
          while made.value < 2000 { await listener.wait() }
          listener.stop()
        }
      }
      group.addTask {
        for _ in 0..<2000 {
          made.add()
          signals.signal(phone)
          await Task.yield()
        }
      }
    }
    #expect(signals.listenedDevices == 0)
  }
}

private final class Counter: Sendable {
  private let count = Mutex(0)
  var value: Int { count.withLock { $0 } }
  func add() { count.withLock { $0 += 1 } }
}
