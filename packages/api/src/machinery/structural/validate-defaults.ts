import { type FieldError, fieldErrorText, invalid } from '../field-error.ts'
import { cloneJson, isJsonObject, type JsonObject, jsonEqual, setField } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import { embeddedProblems } from './embedded.ts'
import { embeddedMisfit } from './embedded-metadata.ts'
import { errorsOf, noFindings } from './findings.ts'
import { pruneObject, pruneValue } from './prune.ts'
import { SchemaNode } from './schema-node.ts'

export interface DefaultsOptions {
  /** Whether a default may not have fields that the schema does not specify; so it is, unless some did before. */
  readonly requirePruned?: boolean
  /** Evaluates the rules of a schema on a default. */
  readonly rules?: (schema: Schema, value: unknown, path: string, isResourceRoot: boolean) => FieldError[]
}

/**
 * Validates the defaults in the schema of a custom resource against the schema itself.
 * `path` is that of the schema: `spec.versions[0].schema.openAPIV3Schema`.
 */
export function validateDefaults(schema: Schema, path: string, options: DefaultsOptions = {}): FieldError[] {
  const root = embedding(schema)
  const errors: FieldError[] = []
  walk(root, path, { root, surround: wholeObject, insideMeta: false }, options, errors)
  return errors
}

const embedding = (schema: Schema): Schema =>
  schema['x-kubernetes-embedded-resource'] ? schema : { ...schema, 'x-kubernetes-embedded-resource': true }

interface Surroundings {
  /** The schema of the innermost object of the API around, or of the thing itself. */
  readonly root: Schema
  /** That object, with nothing in it but the value and what leads there. */
  readonly surround: (value: unknown) => unknown
  /** Whether the value is part of that object's apiVersion, kind or metadata. */
  readonly insideMeta: boolean
}

function wholeObject(value: unknown): unknown {
  return isJsonObject(value) ? { kind: 'Validation', apiVersion: 'validation/v1', ...value } : value
}

function walk(
  schema: Schema,
  path: string,
  around: Surroundings,
  options: DefaultsOptions,
  errors: FieldError[],
): void {
  const here = schema['x-kubernetes-embedded-resource']
    ? { root: schema, surround: wholeObject, insideMeta: false }
    : around
  if (schema.default !== undefined && schema.default !== null) {
    errors.push(...problemsOf(schema, `${path}.default`, here, options))
  }
  // Additional fields have no defaults: those are forbidden elsewhere.
  if (schema.items) {
    const surround = (value: unknown): unknown => here.surround([value])
    walk(schema.items, `${path}.items`, { ...here, surround }, options, errors)
  }
  for (const [field, below] of Object.entries(schema.properties ?? {})) {
    const isMeta = field === 'metadata' || field === 'apiVersion' || field === 'kind'
    const inner: Surroundings = {
      root: here.root,
      surround: (value) => here.surround(only(field, value)),
      insideMeta: here.insideMeta || (schema['x-kubernetes-embedded-resource'] === true && isMeta),
    }
    walk(below, `${path}.properties[${field}]`, inner, options, errors)
  }
}

function only(field: string, value: unknown): JsonObject {
  const object: JsonObject = {}
  setField(object, field, value)
  return object
}

function problemsOf(
  schema: Schema,
  path: string,
  { root, surround, insideMeta }: Surroundings,
  { requirePruned = true, rules }: DefaultsOptions,
): FieldError[] {
  const given = schema.default
  const node = new SchemaNode(schema)
  const errors: FieldError[] = []
  if (!insideMeta && requirePruned && !isPruned(given, node)) {
    errors.push(invalid(path, given, 'must not have unknown fields'))
  }
  const meta = insideMeta
    ? metaProblems(given, path, root, surround(cloneJson(given)))
    : objectProblems(node, cloneJson(given), path)
  if (meta.length > 0) return [...errors, ...meta]
  const findings = noFindings()
  node.check(given, '', findings)
  const wrong = errorsOf(findings, path)
  if (wrong.length > 0) return [...errors, ...wrong]
  return [...errors, ...(rules?.(schema, given, path, schema === root) ?? [])]
}

function isPruned(given: unknown, node: SchemaNode): boolean {
  const pruned = cloneJson(given)
  if (node.isEmbedded && isJsonObject(pruned)) pruneObject(pruned, node)
  else pruneValue(pruned, node)
  return jsonEqual(pruned, given)
}

/** Reports one problem if the type is wrong, and all problems otherwise. */
function objectProblems(node: SchemaNode, value: unknown, path: string): FieldError[] {
  const misfit = embeddedMisfit(node, value, path)
  if (misfit) return [misfit]
  const errors: FieldError[] = []
  embeddedProblems(node, value, path, errors)
  return errors
}

function metaProblems(given: unknown, path: string, root: Schema, object: unknown): FieldError[] {
  const problems = objectProblems(new SchemaNode(embedding(root)), object, '')
  const texts = [...new Set(problems.map(fieldErrorText))]
  if (texts.length === 0) return []
  const joined = texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`
  return [invalid(path, given, `must result in valid metadata: ${joined}`)]
}
