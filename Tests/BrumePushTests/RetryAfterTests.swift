// How long another side asks us to wait, in all the forms that HTTP has for it.

import BrumeDelivery
import BrumeModel
import BrumePush
import Testing

@Suite struct RetryAfterTests {
  /// 6 November 1994, 08:49:37, the RFC's own example.
  private let date: Milliseconds = 784_111_777_000

  private func pause(_ text: String, at now: Milliseconds) -> Milliseconds? {
    OutsideReply(status: 503, retryAfter: text).pause(at: now)
  }

  @Test(arguments: [
    "Sun, 06 Nov 1994 08:49:37 GMT", "Sunday, 06-Nov-94 08:49:37 GMT", "Sun Nov  6 08:49:37 1994",
    "Sun Nov 06 08:49:37 1994",
  ])
  func `a Retry-After may be a date in each of HTTP's forms:`(text: String) {
    #expect(pause(text, at: date - 90_500) == 90_500)
    #expect(pause(text, at: date) == 0)
    #expect(pause(text, at: date + 1) == 0)
  }

  @Test(arguments: [(0, 0), (7, 7000), (999_999_999, 999_999_999_000)])
  func `a Retry-After may be a number of seconds:`(seconds: Int, pause: Milliseconds) {
    #expect(self.pause("\(seconds)", at: date) == pause)
  }

  @Test func `two digits of a year mean the one that is not more than 50 years ahead`() {
    // 1 January 2026 and 2080.
    let (now, later) = (Milliseconds(1_767_225_600_000), Milliseconds(3_471_292_800_000))
    #expect(pause("Friday, 02-Jan-26 00:00:00 GMT", at: now) == 86_400_000)
    #expect(pause("Friday, 02-Jan-75 00:00:00 GMT", at: now) == 1_546_387_200_000)
    #expect(pause("Friday, 02-Jan-77 00:00:00 GMT", at: now) == 0)
    #expect(pause("Friday, 02-Jan-80 00:00:00 GMT", at: later) == 86_400_000)
  }

  @Test(arguments: [
    "", " ", "-1", "+-1", "1e3", "0x10", "9999999999", "soon", "2026-11-20T12:00:00Z",
    "Sun, 06 Nov 1994 08:49:37 UTC", "Sun, 06 Nov 1994 08:49:37 +0100",
    "Sun 06 Nov 1994 08:49:37 GMT", "Sun, 06 November 1994 08:49:37 GMT",
    "Sun, 06 Nov 94 08:49:37 GMT", "Sun, 06 Nov 1994 24:00:00 GMT", "Sun, 06 Nov 1994 8:49:37 GMT",
    "Sun, 00 Nov 1994 08:49:37 GMT", "Sun, 6 Nov 1994 08:49:37 GMT",
    "Sunday, 06-Nov-1994 08:49:37 GMT",
    "Sunday, 06-Nov 08:49:37 GMT", "Sun Nov  6 08:49:37 94", "Sun Nov 6 08:49:37 GMT 1994",
    "Sun, 06 Nov 1994 08:49:37 GMT and more words than a date has",
  ])
  func `a Retry-After that says neither counts as none:`(text: String) {
    #expect(pause(text, at: date - 60_000) == nil)
  }

  @Test func `N9 N10 every sender waits until the date that the other side names`() {
    let now = date - 8000
    func reply(_ status: Int) -> OutsideReply {
      OutsideReply(status: status, retryAfter: "Sun, 06 Nov 1994 08:49:37 GMT")
    }
    let busy = ChannelAnswer.Verdict.busy(after: 8000)
    let retry = ChannelAnswer.Verdict.retry(after: 8000)
    #expect(APNsStatus.answer(reply(503), now: now).verdict == busy)
    #expect(APNsStatus.answer(reply(429), now: now).verdict == retry)
    #expect(WebPushStatus.answer(reply(503), now: now).verdict == busy)
    #expect(WebPushStatus.answer(reply(429), now: now).verdict == retry)
    #expect(WebhookChannel.answer(reply(503), now: now).verdict == retry)
  }
}
