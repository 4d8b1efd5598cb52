// Files of the data folder are for their owner only: who copies the database has every record, and
// the secret that seals tokens. What is made is made so; what was there before loses others' rights.

#if canImport(Darwin)
  package import Darwin
#elseif canImport(Glibc)
  package import Glibc
#elseif canImport(Musl)
  package import Musl
#endif

/// Makes files and folders that only their owner can reach.
package enum OwnerOnly {
  /// Of a new folder.
  package static let folderMode: mode_t = 0o700
  /// Of a new file.
  package static let fileMode: mode_t = 0o600

  /// What a server makes in its data folder. Whatever else is in it is somebody else's, and stays as it is.
  private static let ours: Set<String> = [
    "assets", "asset-spool", "brume.mark", "brume.sqlite", "brume.sqlite-shm", "brume.sqlite-wal",
    "lock", "postgres.mark", "replaced", "restore", "restored.json", "server-key.pem",
    "server.json", "server.lock", "snapshots", "usage.json",
  ]

  /// Takes the rights of others from a data folder and from what a server keeps in it.
  ///
  /// What is in a folder that others cannot enter is left alone, except for the first: so a tree of
  /// very many files is walked once. Symbolic links are not followed.
  ///
  /// - Returns: a sentence for each thing that others can still reach, with what to do.
  package static func tighten(_ folder: String) -> [String] {
    var complaints: [String] = []
    var waiting = [folder]
    while let next = waiting.popLast() {
      guard let folderStatus = status(of: next, following: next == folder) else { continue }
      let wasOpen = isOpen(folderStatus)
      tighten(next, folderStatus, &complaints)
      guard wasOpen || next == folder else { continue }
      for name in names(in: next) where next != folder || ours.contains(name) {
        let path = "\(next)/\(name)"
        guard let status = status(of: path, following: false) else { continue }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: waiting.append(path)
        case S_IFREG: tighten(path, status, &complaints)
        default: break
        }
      }
    }
    return complaints
  }

  /// Makes an empty file if there is none, before somebody else makes it with other rights.
  ///
  /// - Returns: false if it is not there and cannot be made; `errno` says why.
  package static func makeFile(_ path: String) -> Bool {
    let descriptor = open(path, O_CREAT | O_RDWR | O_CLOEXEC, fileMode)
    guard descriptor >= 0 else { return false }
    close(descriptor)
    return true
  }

  /// Makes a folder and those above it, as far as they are missing.
  ///
  /// - Returns: false if one is not there and cannot be made; `errno` says why.
  @discardableResult
  package static func makeFolders(_ path: String) -> Bool {
    var made = path.hasPrefix("/") ? "/" : ""
    for part in path.split(separator: "/") {
      made += part + "/"
      if mkdir(made, folderMode) == 0 {
        syncParent(of: made)
      } else if errno != EEXIST {
        return false
      }
    }
    return true
  }

  /// Waits until the disk knows the name of a folder or file. Without this the loss of power may take a new
  /// folder with all that is in it, however well that was saved.
  ///
  /// - Returns: false if it cannot be said; `errno` says why.
  @discardableResult
  package static func syncParent(of path: String) -> Bool {
    let parts = path.split(separator: "/").dropLast()
    let parent = (path.hasPrefix("/") ? "/" : "./") + parts.joined(separator: "/")
    let descriptor = open(parent, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { return false }
    defer { close(descriptor) }
    return fsync(descriptor) == 0
  }

  /// Whether a file is there and its own rights let every user of this machine read or write it. Symbolic links are followed.
  package static func isOpenToAll(_ file: String) -> Bool {
    guard let found = status(of: file, following: true) else { return false }
    return found.st_mode & 0o006 != 0
  }

  private static func tighten(_ path: String, _ status: stat, _ complaints: inout [String]) {
    guard isOpen(status), chmod(path, status.st_mode & 0o7700) != 0, errno != ENOENT else { return }
    let reason = SystemError.reason()
    guard complaints.count < mostComplaints else { return }
    let rights = String(status.st_mode & 0o777, radix: 8)
    complaints.append(
      "other users of this machine can reach '\(path)' (mode \(rights), owner \(status.st_uid); it "
        + "cannot be changed: \(reason)); make this server's user its owner, or choose a folder "
        + "whose file system keeps owners and modes")
  }

  /// Ours: with more, the first say enough.
  private static let mostComplaints = 10

  private static func isOpen(_ status: stat) -> Bool { status.st_mode & 0o077 != 0 }

  private static func status(of path: String, following: Bool) -> stat? {
    var found = stat()
    let answer = following ? stat(path, &found) : lstat(path, &found)
    return answer == 0 ? found : nil
  }

  /// Names in a folder, in no order; none if it is not there.
  package static func names(in path: String) -> [String] {
    guard let folder = opendir(path) else { return [] }
    defer { closedir(folder) }
    var names: [String] = []
    while let entry = readdir(folder) {
      let name = withUnsafeBytes(of: entry.pointee.d_name) { bytes in
        String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != ".", name != ".." { names.append(name) }
    }
    return names
  }
}
