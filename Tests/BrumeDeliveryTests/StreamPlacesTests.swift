// How many streams and polls may be open: of a user, of an address, in all.

import BrumeDelivery
import BrumeModel
import Testing

@Suite struct StreamPlacesTests {
  private static let (alice, bob, carol) = (UserID("_a"), UserID("_b"), UserID("_c"))

  private static func refusal(
    _ places: StreamPlaces, _ user: UserID, _ address: String,
    inPlaceOf old: StreamPlaces.Place? = nil
  ) -> BrumeError.Code? {
    let refusal = #expect(throws: BrumeError.self) {
      _ = try places.enter(user, at: address, inPlaceOf: old)
    }
    return refusal?.code
  }

  @Test func `a user has so many and no more, wherever they come from`() throws {
    let places = StreamPlaces(most: 9, mostOfAddress: 9, mostOfUser: 2)
    let held = try ["here", "there"].map { try places.enter(Self.alice, at: $0).place }
    #expect(Self.refusal(places, Self.alice, "elsewhere") == .throttled)
    let other = try places.enter(Self.bob, at: "here").place
    held[0].giveBack()
    held[0].giveBack()
    let next = try places.enter(Self.alice, at: "elsewhere").place
    #expect(Self.refusal(places, Self.alice, "elsewhere") == .throttled)
    withExtendedLifetime((held, other, next)) {}
  }

  @Test func `all users of one address have so many and no more`() throws {
    let places = StreamPlaces(most: 9, mostOfAddress: 2, mostOfUser: 2)
    let held = try [Self.alice, Self.bob].map { try places.enter($0, at: "here").place }
    #expect(Self.refusal(places, Self.carol, "here") == .throttled)
    let other = try places.enter(Self.carol, at: "there").place
    withExtendedLifetime((held, other)) {}
  }

  @Test func `a server has so many and no more, and says that others may have room`() throws {
    let places = StreamPlaces(most: 2, mostOfAddress: 2, mostOfUser: 2)
    let held = try [(Self.alice, "here"), (Self.bob, "there")].map {
      try places.enter($0, at: $1).place
    }
    #expect(Self.refusal(places, Self.carol, "elsewhere") == .tryAgainLater)
    withExtendedLifetime(held) {}
  }

  @Test func `a place that nobody holds any more is free`() throws {
    let places = StreamPlaces(most: 9, mostOfAddress: 9, mostOfUser: 1)
    for _ in 1...3 { _ = try places.enter(Self.alice, at: "here") }
  }

  @Test func `an older stream's place is taken if there is no other`() throws {
    let places = StreamPlaces(most: 9, mostOfAddress: 9, mostOfUser: 2)
    let old = try places.enter(Self.alice, at: "here").place
    let (second, tookOne) = try places.enter(Self.alice, at: "there", inPlaceOf: old)
    let (third, tookAnother) = try places.enter(Self.alice, at: "there", inPlaceOf: old)
    #expect([tookOne, tookAnother] == [false, true])
    // It is gone, and giving it back frees nothing.
    old.giveBack()
    #expect(Self.refusal(places, Self.alice, "there", inPlaceOf: old) == .throttled)
    withExtendedLifetime((second, third)) {}
  }

  @Test func `an older stream keeps its place where that would not be room`() throws {
    let places = StreamPlaces(most: 9, mostOfAddress: 1, mostOfUser: 9)
    let old = try places.enter(Self.alice, at: "here").place
    let other = try places.enter(Self.bob, at: "there").place
    #expect(Self.refusal(places, Self.alice, "there", inPlaceOf: old) == .throttled)
    #expect(Self.refusal(places, Self.carol, "here") == .throttled)
    old.giveBack()
    _ = try places.enter(Self.carol, at: "here")
    withExtendedLifetime(other) {}
  }
}
