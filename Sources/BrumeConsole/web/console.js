// The status screen: asks the public endpoints every few seconds and shows what they say.

const show = (id, text) => {
  document.getElementById(id).textContent = text;
};

/** The sum of a metric over all its series; null if there is none. */
const sum = (metrics, name) => {
  const lines = metrics.split("\n").filter((line) => line.startsWith(name + "{") || line.startsWith(name + " "));
  if (lines.length === 0) return null;
  return lines.reduce((total, line) => total + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
};

const refresh = async () => {
  try {
    const ready = await fetch("/_brume/health/ready");
    show("state", ready.ok ? "ready" : "not ready: its storage does not answer");
    const metrics = await (await fetch("/_brume/metrics")).text();
    show("requests", sum(metrics, "brume_http_requests_total") ?? 0);
    show("saved", sum(metrics, "brume_records_saved_total") ?? 0);
    show("streams", sum(metrics, "brume_streams_connected") ?? 0);
    show("lag", sum(metrics, "brume_notifier_lag_entries") ?? 0);
  } catch {
    show("state", "does not answer");
  }
};

show("address", location.origin);
refresh();
setInterval(refresh, 3000);
