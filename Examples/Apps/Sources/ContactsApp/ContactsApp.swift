// A terminal around the contacts: type `add NAME`, `delete NAME` or `list`. Contacts added elsewhere
// appear by themselves.

import CloudKit
import Contacts
import Foundation

@main struct ContactsApp {
  static func main() async throws {
    let container = CKContainer.default()
    let device = ProcessInfo.processInfo.environment["BRUME_DEVICE_ID"] ?? "device"
    let file = FileManager.default.temporaryDirectory.appending(path: "contacts-\(device).json")
    let store = ContactStore(container: container, file: file)
    try await store.launch()
    await show(store)

    let pushes = Task {
      for await userInfo in Brume.remoteNotifications(for: container) {
        if (try? await store.received(userInfo)) == true { await show(store) }
      }
    }
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      do {
        switch (words.first, words.dropFirst().first) {
        case ("add", let name?): try await store.add(name)
        case ("delete", let name?):
          for contact in await store.contacts where contact.name == name {
            try await store.delete(contact)
          }
        case ("quit", _): return pushes.cancel()
        default: break
        }
        await show(store)
      } catch {
        print("That did not work: \(error.localizedDescription)")
      }
    }
    pushes.cancel()
  }

  private static func show(_ store: ContactStore) async {
    print("Contacts: " + (await store.contacts.map(\.name).joined(separator: ", ")))
  }
}
