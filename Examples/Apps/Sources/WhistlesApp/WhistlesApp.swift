// A terminal around the whistles: type `follow GENRE GENRE…`, `whistle GENRE COMMENTS` or `list`.

import CloudKit
import Foundation
import Whistles

@main struct WhistlesApp {
  static func main() async throws {
    let container = CKContainer.default()
    let store = WhistleStore(container: container)
    print("Genres: " + WhistleStore.genres.joined(separator: ", "))

    let pushes = Task {
      for await userInfo in Brume.remoteNotifications(for: container) {
        guard let alert = try? await store.alert(userInfo) else { continue }
        print("🔔 \(alert.text) \(alert.whistle.comments)")
      }
    }
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      do {
        switch words.first {
        case "follow": try await store.follow(Array(words.dropFirst()))
        case "whistle" where words.count > 1:
          _ = try await store.publish(
            genre: words[1], comments: words.dropFirst(2).joined(separator: " "))
        case "list":
          for whistle in try await store.newest() { print("\(whistle.genre): \(whistle.comments)") }
        case "quit": return pushes.cancel()
        default: print("follow GENRE…, whistle GENRE COMMENTS, list, or quit")
        }
      } catch {
        print("That did not work: \(error.localizedDescription)")
      }
    }
    pushes.cancel()
  }
}
