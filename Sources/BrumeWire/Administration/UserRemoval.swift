// The operator's `users/delete`: what goes with an account.

package import BrumeModel

extension Wire {
  /// The reply of `users/delete`.
  package static func userRemoval(_ removal: UserRemoval) -> [UInt8] {
    bytes { writer in
      writer.beginObject()
      writer.member("user", removal.name)
      writer.member("recordName", removal.user.name)
      writer.member("deleted", removal.isDone)
      writer.array("containers", removal.places) { writer, place in
        writer.beginObject()
        writer.containerEnvironment(place.containerEnvironment)
        writer.member("zones", Int64(place.zones))
        writer.member("subscriptions", Int64(place.subscriptions))
        writer.member("devices", Int64(place.devices))
        writer.member("waiting", Int64(place.waiting))
        writer.member("participants", Int64(place.participants))
        writer.member("joinedShares", Int64(place.joinedShares))
        writer.member("roles", Int64(place.roles))
        writer.endObject()
      }
      writer.endObject()
    }
  }
}
