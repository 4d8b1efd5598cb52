// Finding a place in what is sorted, in as many steps as its count has bits.

extension RandomAccessCollection where Index == Int {
  /// Where the elements end that come first because something is true of them, and of none behind them.
  func end(ofThose isBefore: (Element) -> Bool) -> Int {
    var (low, high) = (startIndex, endIndex)
    while low < high {
      let middle = low + (high - low) / 2
      if isBefore(self[middle]) { low = middle + 1 } else { high = middle }
    }
    return low
  }
}
