// The least that finding the subscriptions of a change can cost: a hash table from (field, value) to
// the numbers of subscriptions, thresholds sorted beside them. No owners' names, no removal, no second
// conditions. Written from scratch as a baseline for `brume bench matching`.
//
// usage: ReferenceMatcher eq|range|tag|mix SUBSCRIPTIONS VALUES   prints: median-microseconds

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace {

struct Posting {
  std::vector<std::uint32_t> plain;
  // Threshold and subscription, ascending: `priority > threshold`.
  std::vector<std::pair<int, std::uint32_t>> bounds;
};
using Table = std::unordered_map<std::string, Posting>;

// Knuth's generator, as in the measured program.
std::uint64_t state = 42;
int next(int below) {
  state = state * 6364136223846793005ULL + 1442695040888963407ULL;
  return static_cast<int>((state >> 33) % static_cast<std::uint64_t>(below));
}

void insert(Table &table, const std::string &shape, long number, long values) {
  const bool isMix = shape == "mix";
  const std::string value = std::to_string((isMix ? number / 3 : number) % values);
  const int threshold = next(1000);
  const long kind = isMix ? number % 3 : shape == "eq" ? 0 : shape == "range" ? 1 : 2;
  Posting &posting = table[(kind == 2 ? "t" : "g") + value];
  if (kind != 1) {
    posting.plain.push_back(static_cast<std::uint32_t>(number));
    return;
  }
  const std::pair<int, std::uint32_t> bound(threshold, static_cast<std::uint32_t>(number));
  posting.bounds.insert(
      std::upper_bound(posting.bounds.begin(), posting.bounds.end(), bound), bound);
}

void collect(const Posting &posting, int priority, std::vector<std::uint32_t> &found) {
  found.insert(found.end(), posting.plain.begin(), posting.plain.end());
  for (const auto &bound : posting.bounds) {
    if (bound.first >= priority) break;
    found.push_back(bound.second);
  }
}

}  // namespace

int main(int count, char **arguments) {
  if (count != 4) return 2;
  const std::string shape = arguments[1];
  const long subscriptions = std::atol(arguments[2]), values = std::atol(arguments[3]);
  Table table;
  table.reserve(static_cast<std::size_t>(values) * 2);
  for (long number = 0; number < subscriptions; ++number) insert(table, shape, number, values);

  const long each = std::max(1L, subscriptions / values);
  const int wanted = static_cast<int>(std::max(1L, std::min(999L, 10000 / each)));
  std::vector<double> times;
  std::vector<std::uint32_t> found;
  std::uint64_t sum = 0;
  for (int change = 0; change < 20000; ++change) {
    std::vector<std::string> keys{"g" + std::to_string(next(static_cast<int>(values)))};
    for (int tag = 0; tag < 5; ++tag) {
      keys.push_back("t" + std::to_string(next(static_cast<int>(values))));
    }
    const int priority = shape == "range" ? wanted : next(1000);
    const auto start = std::chrono::steady_clock::now();
    found.clear();
    for (const auto &key : keys) {
      const auto posting = table.find(key);
      if (posting != table.end()) collect(posting->second, priority, found);
    }
    for (const auto number : found) sum += number;
    const std::chrono::duration<double, std::micro> time =
        std::chrono::steady_clock::now() - start;
    times.push_back(time.count());
  }
  std::sort(times.begin(), times.end());
  std::printf("%.3f\n", times[times.size() / 2]);
  return sum == 0 && subscriptions > 100000 ? 1 : 0;
}
