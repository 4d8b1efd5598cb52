// brume.js: a client for Brume in JavaScript, for browsers and Node 18 or newer. One ES module, no
// dependencies, no build step. Types are in brume.d.ts, a guide in docs/javascript.md.
//
//   import { Container } from "https://brume.example/_brume/client/brume.js";
//   const container = new Container({ url, container: "iCloud.org.example.app", apiToken });
//   const note = await container.privateDatabase.saveRecord({ recordType: "Note", fields: { title: "Hello" } });
//
// In order: errors, values, records, calls over HTTP, the container, a database, sharing, assets,
// pushes; then the offline store: where it keeps things, what tabs share, merging, the outbox,
// fetching, the store itself.
//
// SPDX-License-Identifier: Apache-2.0

