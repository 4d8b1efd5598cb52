// Numbers, sizes, times and names as words. All times are shown in the reader's own time zone.

const count = new Intl.NumberFormat("en", { useGrouping: true });

/** 1284 as "1 284", with a space that does not break. */
export const number = (value) => count.format(value).replaceAll(",", "\u202f");

/** "1 device", "3 devices". */
export const plural = (value, noun, many = noun + "s") => `${number(value)} ${value === 1 ? noun : many}`;

/** Bytes in the largest unit that keeps a digit before the point. */
export function size(bytes) {
  const units = ["bytes", "KB", "MB", "GB", "TB"];
  let [value, unit] = [bytes, 0];
  while (value >= 1000 && unit < units.length - 1) [value, unit] = [value / 1000, unit + 1];
  return unit === 0 ? plural(bytes, "byte") : `${value < 10 ? value.toFixed(1) : Math.round(value)} ${units[unit]}`;
}

const clock = new Intl.DateTimeFormat("en-GB", { hour: "2-digit", minute: "2-digit", second: "2-digit" });
const day = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short" });
const year = new Intl.DateTimeFormat("en-GB", { day: "numeric", month: "short", year: "numeric" });

/** Whether a date of browsers reaches so far: apps may save any whole number as a time. */
export const isDate = (milliseconds) => !Number.isNaN(new Date(milliseconds).getTime());

/** 10:53:07 today, 22 Nov 10:53 this year, 22 Nov 2025 before. `now` in milliseconds; what is no date is the number. */
export function moment(milliseconds, now = Date.now()) {
  if (!isDate(milliseconds)) return String(milliseconds);
  const [then, today] = [new Date(milliseconds), new Date(now)];
  if (then.toDateString() === today.toDateString()) return clock.format(then);
  if (then.getFullYear() === today.getFullYear()) return `${day.format(then)} ${clock.format(then).slice(0, 5)}`;
  return year.format(then);
}

/** The whole time, for titles. */
export const exactly = (milliseconds) =>
  isDate(milliseconds) ? new Date(milliseconds).toISOString() : String(milliseconds);

/** The beginning and the end of a long name. */
export const short = (name, length = 17) =>
  name.length <= length ? name : `${name.slice(0, Math.ceil(length / 2))}…${name.slice(-Math.floor(length / 3))}`;

/** The last part of a container's name, which people say. */
export const shortContainer = (name) => name.split(".").at(-1);
