// The types say what there is: each export and each member of a class, no more and no less.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import * as brume from "./brume.mjs";

const types = readFileSync("brume.d.mts", "utf8");
const module = /** @type {Record<string, any>} */ (brume);

test("the types name what the module exports", () => {
  const named = [...types.matchAll(/^export (?:class|function) (\w+)/gm)].map(([, name]) => name);
  assert.deepEqual(named.sort(), Object.keys(module).sort());
});

test("the types name the members of each class", () => {
  for (const [, name, body] of types.matchAll(/^export class (\w+)[^\n]*\{\n(.*?)^\}/gms)) {
    const prototype = module[name].prototype;
    const members = Object.getOwnPropertyNames(prototype).filter((member) => member !== "constructor");
    const getters = members.filter((member) => Object.getOwnPropertyDescriptor(prototype, member)?.get);
    const methods = [...body.matchAll(/^  (?:get )?(\w+)\(/gm)].map(([, member]) => member);
    const named = new Set(methods.filter((member) => member !== "constructor"));
    if (/readonly isTokenExpired/.test(body)) named.add("isTokenExpired");
    assert.deepEqual([...named].sort(), members.sort(), name);
    assert.ok(getters.every((getter) => named.has(getter)), name);
  }
});
