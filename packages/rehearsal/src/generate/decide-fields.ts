import type { JsonSchemaProps } from '@strata/api'
import { integer, type Random } from '@strata/world'

export interface FieldPlan {
  readonly must: ReadonlySet<string>
  readonly mustNot: ReadonlySet<string>
  /** Further requirements for single fields. */
  readonly more: ReadonlyMap<string, JsonSchemaProps>
}

interface Draft {
  readonly must: Set<string>
  readonly mustNot: Set<string>
  readonly more: Map<string, JsonSchemaProps>
  /** A choice that cannot be: all that one has to leave out is demanded. */
  failed: boolean
}

const attempts = 60

/**
 * Which fields an object must have and must not have, so that it satisfies what its schema says in required, allOf, anyOf,
 * oneOf and not. Of alternatives one is drawn; a draw that contradicts itself is drawn again.
 */
export function decideFields(
  schema: JsonSchemaProps,
  required: readonly string[],
  random: Random,
): FieldPlan {
  for (let attempt = 0; attempt < attempts; attempt++) {
    const draft: Draft = { must: new Set(required), mustNot: new Set(), more: new Map(), failed: false }
    const { properties: _, ...rest } = schema
    need(rest, draft, random)
    addDefaulted(schema, draft)
    const isPossible = !draft.failed && [...draft.mustNot].every((field) => !draft.must.has(field))
    if (isPossible) return draft
  }
  throw new Error(`found no set of fields that satisfies ${JSON.stringify(schema).slice(0, 500)}`)
}

/** The default of a field that is left out is validated too, so the field has to be set to a valid value. */
function addDefaulted({ properties = {} }: JsonSchemaProps, draft: Draft): void {
  for (const field of draft.more.keys()) if (properties[field]?.default !== undefined) draft.must.add(field)
  for (const field of draft.mustNot) if (properties[field]?.default !== undefined) draft.failed = true
}

function need(schema: JsonSchemaProps, draft: Draft, random: Random): void {
  for (const field of schema.required ?? []) draft.must.add(field)
  for (const [field, asked] of Object.entries(schema.properties ?? {})) {
    if (Object.keys(asked).length > 0) draft.more.set(field, asked)
  }
  if (schema.not) avoid(schema.not, draft, random)
  for (const each of schema.allOf ?? []) need(each, draft, random)
  const { anyOf = [], oneOf = [] } = schema
  const any = anyOf[integer(random, anyOf.length)]
  if (any) need(any, draft, random)
  const one = integer(random, oneOf.length)
  for (const [index, each] of oneOf.entries()) {
    if (index === one) need(each, draft, random)
    else avoid(each, draft, random)
  }
}

function avoid(schema: JsonSchemaProps, draft: Draft, random: Random): void {
  for (const each of [...(schema.anyOf ?? []), ...(schema.oneOf ?? [])]) avoid(each, draft, random)
  if (schema.not) need(schema.not, draft, random)
  if (!schema.required) return
  const free = schema.required.filter((field) => !draft.must.has(field))
  const field = free[integer(random, free.length)]
  if (field === undefined) draft.failed = true
  else draft.mustNot.add(field)
}
