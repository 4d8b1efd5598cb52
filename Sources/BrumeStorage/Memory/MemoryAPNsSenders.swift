// Who signs for Apple, in memory.

import BrumeModel

final class MemoryAPNsSenders: MemoryFeature, APNsSenderWriting {
  func all(of container: ContainerID) throws -> [APNsSender] {
    draft.state.apnsSenders.filter { $0.container == container }
  }

  func put(_ sender: APNsSender) throws {
    draft.requireScope(.server)
    if let index = index(sender.topic, sender.container) {
      draft.state.apnsSenders[index] = sender
    } else {
      draft.state.apnsSenders.append(sender)
    }
  }

  func remove(_ topic: String, of container: ContainerID) throws -> Bool {
    draft.requireScope(.server)
    guard let index = index(topic, container) else { return false }
    draft.state.apnsSenders.remove(at: index)
    return true
  }

  private func index(_ topic: String, _ container: ContainerID) -> Int? {
    draft.state.apnsSenders.firstIndex {
      ByteText($0.topic) == ByteText(topic) && $0.container == container
    }
  }
}
