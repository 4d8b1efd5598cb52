// W3C Trace Context, version 00: its own examples, and what must not be believed.

import Testing

@testable import BrumeTracing

struct TraceParentTests {
  private static let example = "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01"

  @Test func `the specification's example is read and written`() throws {
    let parent = try #require(TraceParent(Self.example))
    #expect(parent.isSampled && parent.text == Self.example)
  }

  @Test func `of a later version what is known is read`() {
    #expect(TraceParent("cc" + Self.example.dropFirst(2) + "-what-comes")?.isSampled == true)
  }

  @Test(arguments: [
    "", "00", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01-more",
    "ff-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",
    "00-00000000000000000000000000000000-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e4736-0000000000000000-01",
    "00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473-00f067aa0ba902b7-01",
    "00-4bf92f3577b34da6a3ce929d0e0e473é-00f067aa0ba902b7-01",
  ])
  func `what is malformed is nobody's trace`(text: String) {
    #expect(TraceParent(text) == nil)
  }
}
