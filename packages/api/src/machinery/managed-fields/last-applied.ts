import { fieldOf, isJsonObject, type JsonObject, jsonEqual } from '../patch/json-value.ts'
import type { Schema } from '../schema.ts'
import { appliedProblems } from './applied-problems.ts'
import { compareObjects } from './compare-objects.ts'
import { type FieldSet, fieldSetDifference } from './field-set.ts'
import { canonicalText } from './path-element.ts'
import { setOfObject } from './set-of-object.ts'

/** The annotation in which client-side apply of kubectl keeps the last applied object. */
const lastAppliedAnnotation = 'kubectl.kubernetes.io/last-applied-configuration'
const maxAnnotationBytes = 256 * 1024

/** The fields that client-side apply of kubectl set and that are unchanged; `undefined` without an annotation in this version. */
export function lastAppliedSet(
  live: JsonObject | undefined,
  schema: Schema,
  apiVersion: string,
): FieldSet | undefined {
  const text = annotationsOf(live)?.[lastAppliedAnnotation]
  const applied = typeof text === 'string' ? parseObject(text) : undefined
  if (applied?.['apiVersion'] !== apiVersion || appliedProblems(applied, schema) !== undefined)
    return undefined
  const set = setOfObject(applied, schema)
  const changed = compareObjects(applied, live, schema)
  if (!changed) return set
  return [changed.modified, changed.added, changed.removed].reduce(fieldSetDifference, set)
}

/** Keeps the annotation up to date, so that client-side apply of kubectl still works. */
export function withLastApplied(object: JsonObject, applied: JsonObject): JsonObject {
  const annotations = annotationsOf(object)
  if (!annotations?.[lastAppliedAnnotation]) return object
  const text = `${canonicalText(withoutAnnotation(applied))}\n`
  const next: JsonObject = { ...annotations, [lastAppliedAnnotation]: text }
  if (sizeOf(next) > maxAnnotationBytes) delete next[lastAppliedAnnotation]
  if (jsonEqual(next, annotations)) return object
  return { ...object, metadata: { ...(object['metadata'] as JsonObject), annotations: next } }
}

function withoutAnnotation(applied: JsonObject): JsonObject {
  const annotations = annotationsOf(applied)
  if (!annotations) return applied
  const { [lastAppliedAnnotation]: _, ...rest } = annotations
  return { ...applied, metadata: { ...(applied['metadata'] as JsonObject), annotations: rest } }
}

function annotationsOf(object: JsonObject | undefined): JsonObject | undefined {
  const metadata = object && fieldOf(object, 'metadata')
  const annotations = isJsonObject(metadata) ? fieldOf(metadata, 'annotations') : undefined
  return isJsonObject(annotations) ? annotations : undefined
}

function parseObject(text: string): JsonObject | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return isJsonObject(value) ? value : undefined
  } catch {
    return undefined
  }
}

const utf8 = new TextEncoder()
const sizeOf = (annotations: JsonObject): number =>
  Object.entries(annotations).reduce((sum, [key, value]) => sum + utf8.encode(key + String(value)).length, 0)
