// What the tests start from: containers at the real server of the environment, and networks that fail.
import { Container } from "./brume.mjs";

/** A value that scripts need from `brume status --format env`. */
export const value = (/** @type {string} */ name) => {
  const found = process.env[name];
  if (!found) throw new Error(`${name} is missing: run Tests/Independent/javascript.py`);
  return found;
};

let devices = 0;

/**
 * A device of a user of the development server.
 * @param {"ALICE" | "BOB" | null} user
 * @param {Partial<import("./brume.mjs").ContainerOptions>} [options]
 */
export const device = (user, options) =>
  new Container({
    url: value("BRUME_URL"),
    container: value("BRUME_CONTAINER"),
    apiToken: value("BRUME_API_TOKEN"),
    deviceID: `device-${process.pid}-${(devices += 1)}`,
    ...(user && { webAuthToken: value(`BRUME_USER_TOKEN_${user}`) }),
    ...options,
  });

/**
 * A network on which `disturb` may answer in the server's place; undefined lets a request through.
 * @param {(address: string, number: number, real: () => Promise<Response>) => Promise<Response | undefined> | Response | undefined} disturb
 */
export const network = (disturb) => {
  const seen = /** @type {string[]} */ ([]);
  const pauses = /** @type {number[]} */ ([]);
  /** @type {Partial<import("./brume.mjs").Host>} */
  const host = {
    fetch: async (address, request) => {
      const text = String(address);
      seen.push(text);
      const real = () => fetch(text, request);
      return (await disturb(text, seen.filter((each) => each === text).length, real)) ?? real();
    },
    // No test waits: what would have been waited is noted.
    sleep: async (milliseconds, signal) => {
      signal?.throwIfAborted();
      pauses.push(milliseconds);
    },
    random: () => 1,
  };
  return { host, seen, pauses };
};

/**
 * An error of the server, as a proxy for it.
 * @param {number} status
 * @param {object} body
 * @param {Record<string, string>} [headers]
 */
export const refusal = (status, body, headers) => new Response(JSON.stringify(body), { status, headers });

/**
 * All that an iterator brings.
 * @template Element
 * @param {AsyncIterable<Element>} elements
 */
export const all = async (elements) => {
  const found = [];
  for await (const element of elements) found.push(element);
  return found;
};

let zones = 0;
/** A zone of its own for a test. */
export const zoneName = () => `Zone-${process.pid}-${(zones += 1)}`;
