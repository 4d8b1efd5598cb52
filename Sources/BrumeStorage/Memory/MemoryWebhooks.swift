// Webhooks in memory.

import BrumeModel

final class MemoryWebhooks: MemoryFeature, WebhookWriting {
  func all() throws -> [Webhook] {
    draft.state.webhooks.sorted { ByteText($0.id) < ByteText($1.id) }
  }

  func find(_ id: String) throws -> Webhook? {
    draft.state.webhooks.first { ByteText($0.id) == ByteText(id) }
  }

  func put(_ webhook: Webhook) throws {
    draft.requireScope(.server)
    try remove(webhook.id)
    draft.state.webhooks.append(webhook)
  }

  @discardableResult
  func remove(_ id: String) throws -> Bool {
    draft.requireScope(.server)
    let index = draft.state.webhooks.firstIndex { ByteText($0.id) == ByteText(id) }
    if let index { draft.state.webhooks.remove(at: index) }
    return index != nil
  }
}
