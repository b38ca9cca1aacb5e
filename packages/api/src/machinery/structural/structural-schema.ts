import type { ApiObject } from '../../meta/object.ts'
import { compileRules, type RuleSet } from '../cel/index.ts'
import type { FieldError } from '../field-error.ts'
import { compareTexts } from '../managed-fields/path-element.ts'
import type { Schema } from '../schema.ts'
import { defaultValue, type Room } from './apply-defaults.ts'
import { embeddedProblems } from './embedded.ts'
import { dropEmbeddedMisfits, embeddedMisfit, pruneEmbeddedMetadata } from './embedded-metadata.ts'
import { errorsOf, noFindings } from './findings.ts'
import { duplicateItems } from './list-type.ts'
import { dropNulls, type OnUnknown, pruneObject } from './prune.ts'
import { checkRatcheting } from './ratchet.ts'
import { SchemaNode } from './schema-node.ts'
import { rulesSkippedFor } from './skipped-rules.ts'

/** A compiled schema of a custom resource. */
export interface StructuralSchema {
  readonly schema: Schema
  /**
   * Removes, in place, fields that the schema does not specify, and null where it is not allowed and has no default. Calls
   * `onUnknown` with the path of each unspecified field. Keeps the object's own apiVersion, kind and metadata.
   */
  prune(object: ApiObject, onUnknown?: (path: string) => void): void
  /**
   * The first check of a request: refuses an embedded resource whose apiVersion, kind or metadata has the
   * wrong type.
   */
  misfit(object: ApiObject): FieldError | undefined
  /** Removes, in place, what `misfit` reports. For stored objects, which must stay readable. */
  dropMisfits(object: ApiObject): void
  /** Fills in defaults, in place, as far as there is room. Null counts as left out unless the field is nullable. */
  applyDefaults(object: ApiObject, room?: Room): void
  /** Everything that is wrong with a new object, in upstream's words and order. */
  validate(object: ApiObject): FieldError[]
  /** The same for an object that takes the place of another. What was wrong before and is unchanged is tolerated. */
  validateUpdate(object: ApiObject, stored: ApiObject): FieldError[]
  /** The same where only the status can have changed. Messages name fields as seen from there, as upstream's do. */
  validateStatusUpdate(object: ApiObject, stored: ApiObject): FieldError[]
}

export function compileStructuralSchema(schema: Schema): StructuralSchema {
  const root = new SchemaNode(schema)
  let rules: RuleSet | undefined

  function valueErrors(object: ApiObject, stored?: ApiObject): FieldError[] {
    const findings = noFindings()
    checkRatcheting(root, object, '', findings, stored)
    return findings.found.length === 0 ? [] : errorsOf(findings)
  }

  function statusErrors(object: ApiObject, stored: ApiObject): FieldError[] {
    const node = root.field('status')
    const { status } = object
    if (!node || status === undefined) return []
    const findings = noFindings()
    checkRatcheting(node, status, '', findings, stored['status'])
    return errorsOf(findings, 'status')
  }

  function embeddedErrors(object: ApiObject): FieldError[] {
    const errors: FieldError[] = []
    embeddedProblems(root, object, '', errors)
    return errors
  }

  function listErrors(object: ApiObject): FieldError[] {
    const errors: FieldError[] = []
    duplicateItems(root, object, '', errors)
    return errors
  }

  function newListErrors(object: ApiObject, stored: ApiObject): FieldError[] {
    const errors = listErrors(object)
    return errors.length > 0 && listErrors(stored).length === 0 ? errors : []
  }

  /** Rules come last, and only if what they would look at is what the schema says. */
  function withRules(errors: FieldError[], object: ApiObject, stored?: ApiObject): FieldError[] {
    // Looked for when they are first needed: most definitions of a fleet have no objects here.
    rules ??= compileRules(schema)
    if (rules.isEmpty) return errors
    const skipped = rulesSkippedFor(errors)
    return [...errors, ...(skipped ? [skipped] : rules.evaluate(object, stored))]
  }

  return {
    schema,
    prune(object, onUnknown) {
      const tell = onUnknown && inOrder(onUnknown)
      pruneObject(object, root, tell?.add)
      tell?.flush()
      dropNulls(object, root)
      pruneEmbeddedMetadata(root, object, tell?.add)
      tell?.flush()
    },
    misfit: (object) => embeddedMisfit(root, object),
    dropMisfits: (object) => dropEmbeddedMisfits(root, object),
    applyDefaults: (object, room) => defaultValue(object, root, room),
    validate: (object) =>
      withRules([...valueErrors(object), ...embeddedErrors(object), ...listErrors(object)], object),
    validateUpdate(object, stored) {
      const errors = [
        ...valueErrors(object, stored),
        ...embeddedErrors(object),
        ...newListErrors(object, stored),
      ]
      return withRules(errors, object, stored)
    },
    validateStatusUpdate: (object, stored) =>
      withRules([...statusErrors(object, stored), ...newListErrors(object, stored)], object, stored),
  }
}

/** Reports paths in sorted order, not in the order of the object's fields. */
function inOrder(onUnknown: OnUnknown): { readonly add: OnUnknown; readonly flush: () => void } {
  let paths: string[] = []
  return {
    add: (path) => paths.push(path),
    flush() {
      const sorted = paths.sort(compareTexts)
      paths = []
      for (const path of sorted) onUnknown(path)
    },
  }
}
