// A value that begins with a dash, such as a negative number: the parser takes it for an option, and says that the value
// before it is missing.

enum DashedValue {
  /// What is wrong; nil if it is something else.
  ///
  /// - Parameter message: the parser's.
  static func sentence(_ arguments: some Sequence<String>, _ message: String) -> String? {
    let words = Array(arguments)
    let pair = zip(words, words.dropFirst()).first { option, value in
      value.hasPrefix("-") && !value.hasPrefix("--")
        && message.contains("Missing value for '\(option) ")
    }
    return pair.map { option, value in
      "\(option) needs a value, and '\(value)' behind it reads as an option: write \(option)=\(value)"
    }
  }
}
