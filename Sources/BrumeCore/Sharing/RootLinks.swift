// What the shares of a batch do to their roots: one that is made is named by its root, and one that ends no longer. It is
// kept beside the roots until it is certain which shares are made and which end: a root may be an item of the request
// itself, in whatever order, and either may be refused after both were judged (cases SHR-08, SHR-16).

import BrumeModel

struct RootLinks {
  private struct Link {
    let share: String
    let shortGUID: String?
    let isMade: Bool
  }
  /// By the root's name, in the order in which the shares were judged.
  private var links: [String: [Link]] = [:]
  /// By the share's name.
  private var roots: [String: String] = [:]

  var rootNames: [String] { Array(links.keys) }

  mutating func make(_ share: String, of root: String, shortGUID: String) {
    add(Link(share: share, shortGUID: shortGUID, isMade: true), to: root)
  }

  mutating func end(_ share: String, of root: String) {
    add(Link(share: share, shortGUID: nil, isMade: false), to: root)
  }

  private mutating func add(_ link: Link, to root: String) {
    links[root, default: []].append(link)
    roots[link.share] = root
  }

  /// Forgets what a share does, because it was refused.
  mutating func withdraw(_ share: String) {
    guard let root = roots.removeValue(forKey: share) else { return }
    links[root]?.removeAll { $0.share == share }
    if links[root]?.isEmpty == true { links[root] = nil }
  }

  /// A record as the shares leave it.
  func applied(to record: Record) -> Record {
    guard !links.isEmpty, let own = links[record.name] else { return record }
    var record = record
    for link in own {
      if link.isMade {
        (record.share, record.shortGUID) = (link.share, link.shortGUID)
      } else if record.share == link.share {
        record.share = nil
      }
    }
    return record
  }
}
