// Schema: what may be stored, and what would production change? The types, one type as a table, the text
// beside the difference to production, and the promotion.

import { remote } from "../core/calls.js";
import { h } from "../core/render.js";
import { route, to, withQuery } from "../core/router.js";
import { plural } from "../core/words.js";
import { CopyButton, Tabs } from "../parts/controls.js";
import { count, TextDifference } from "../parts/diff.js";
import { Head, Pane } from "../parts/layout.js";
import { Badge, Empty, Loaded } from "../parts/states.js";
import { Table } from "../parts/table.js";
import { Indexes } from "./schema-index.js";
import { Editor } from "./schema-editor.js";
import { Promote } from "./schema-promote.js";
import { Reset } from "./schema-reset.js";
import { Roles } from "./schema-roles.js";
import { read, standing } from "./schema-text.js";
import { Lacking, Use } from "./schema-use.js";

export const page = {
  name: "schema",
  title: "Schema",
  icon: "schema",
  view,
  keys: () => ({
    d: [
      "Text or difference",
      () => (location.hash = withQuery({ tab: route.query.tab === "difference" ? "" : "difference" })),
    ],
  }),
};

/** The schema of an environment of the container. */
export const schemaOf = (environment) =>
  remote(`/_brume/admin/schema?${new URLSearchParams({ container: route.container, environment })}`);

function view() {
  const [own, production] = [schemaOf(route.environment), schemaOf("production")];
  return [
    h(
      Head,
      {
        title: "Schema",
        actions:
          own.value && [
            Reset(),
            h(CopyButton, { key: "copy", text: own.value.schema, what: "the schema" }, "Copy as text"),
          ],
      },
      h(Tabs, {
        label: "Show",
        tabs: [
          { text: "Types", isOn: !isRoles(), href: to("schema") },
          { text: "Roles", isOn: isRoles(), href: to("schema", [], { tab: "roles" }) },
        ],
      }),
    ),
    Loaded(own, ({ schema }) =>
      isRoles() ? Roles(read(schema)) : [Lacking(read(schema)), Page(schema, production)]),
  ];
}

const isRoles = () => route.query.tab === "roles";

function Page(text, answer) {
  const productionText = answer.value?.schema;
  const schema = read(text);
  const production = productionText === undefined ? undefined : read(productionText);
  const type = schema.types.find((type) => type.name === route.path[0]) ?? schema.types[0];
  return h(
    "div.schema",
    { key: "schema" },
    Types(schema, production, type),
    h(
      "div.content",
      { key: "middle" },
      route.path[0] && route.path[0] !== type?.name &&
        h("p.note", { key: "absent", role: "status" }, `There is no type ${route.path[0]} here.`),
      type ? Fields(type, production) : h(Pane, null, Empty("No types; the first save makes one", undefined, "schema")),
      Text(text, productionText),
    ),
    route.environment === "development" && Promoting(text, answer),
  );
}

/** What production has is another answer: without it nothing can be compared. */
const Promoting = (text, answer) =>
  answer.value
    ? h(Promote, { text, productionText: answer.value.schema })
    : h(Pane, { key: "promote", class: "promote", title: "Promote" }, Loaded(answer));

const Types = (schema, production, current) =>
  h(
    "section.pane.types",
    { key: "types", "aria-label": "Types" },
    h("h3", null, "Types"),
    schema.types.map((type) => {
      const changes = production && changesOf(type, production);
      return h(
        "a",
        {
          key: type.name,
          href: to("schema", [type.name], { tab: route.query.tab }),
          "aria-current": type === current && "true",
        },
        h("span", null, type.name),
        changes > 0 && h(
          "span.count.wait",
          { title: `${plural(changes, "difference")} to production` },
          String(changes),
        ),
      );
    }),
    schema.roles.length > 0 && [
      h("h3", { key: "roles" }, "Roles"),
      schema.roles.map((role) => h("p", { key: "role-" + role }, role)),
    ],
  );

function changesOf(type, production) {
  const other = production.types.find((candidate) => candidate.name === type.name);
  return type.fields.filter((field) => standing(field, other) !== "same").length;
}

function Fields(type, production) {
  const other = production?.types.find((candidate) => candidate.name === type.name);
  const columns = [
    { title: "Field", cell: (field) => h("code", null, field.name) },
    { title: "Type", cell: (field) => (field.isEncrypted ? `encrypted ${field.type.toLowerCase()}` : field.type) },
    { title: "Index", cell: (field) => h(Indexes, { type, field }) },
    { title: "Used", cell: (field) => Use({ type, field }) },
    route.environment === "development" && production && {
      title: "Production",
      cell: (field) => Standing(standing(field, other)),
    },
  ].filter(Boolean);
  return h(
    Pane,
    {
      key: "fields",
      title: type.name,
      note: type.grants.map((grant) => `${grant.right.toLowerCase()}: ${grant.role}`).join(" · "),
    },
    type.fields.length === 0
      ? Empty("No fields")
      : h(Table, { label: `Fields of ${type.name}`, columns, rows: type.fields, id: (field) => field.name }),
  );
}

const Standing = (word) =>
  word === "same"
    ? h("span.note", null, "same")
    : word === "new"
    ? h(Badge, { kind: "ok", icon: "plus" }, "new")
    : h(Badge, { kind: "wait", icon: "pencil" }, "changed");

function Text(text, productionText) {
  const isDifference = route.query.tab === "difference" && productionText !== undefined;
  const { added, removed } = productionText === undefined ? {} : count(productionText, text);
  return h(
    Pane,
    {
      key: "text",
      class: "fill",
      title: isDifference ? "Difference" : "Text",
      note: isDifference ? `production, then ${route.environment} · +${added} −${removed}` : "Apple's schema language",
      actions: h(Tabs, {
        label: "Show",
        tabs: [
          { text: "Text", isOn: !isDifference, href: withQuery({ tab: "" }) },
          productionText !== undefined && {
            text: "Difference",
            isOn: isDifference,
            href: withQuery({ tab: "difference" }),
          },
        ].filter(Boolean),
      }),
    },
    isDifference
      ? added + removed === 0
          ? Empty("Production is the same", undefined, "ok")
          : h(TextDifference, { before: productionText, after: text, label: "Difference to production" })
      : h(Editor, { text }),
  );
}
