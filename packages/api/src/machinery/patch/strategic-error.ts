import { goTypeName, goValueText } from './go-value.ts'
import type { JsonObject } from './json-value.ts'
import { PatchError } from './patch-error.ts'

/** A malformed directive. Upstream calls these bad requests. */
export const malformedDirective = (
  what: 'primitive list' | 'retainKeys' | 'setElementOrder list',
): PatchError => new PatchError('malformed', `invalid patch format of ${what}`)

/** Everything else that cannot be merged. Upstream passes its own words on, as a 500 without a reason. */
export const cannotMerge = (message: string): PatchError => new PatchError('unexpected', message)

export const noMergeKey = (item: JsonObject, mergeKey: string): PatchError =>
  cannotMerge(`map: ${goValueText(item)} does not contain declared merge key: ${mergeKey}`)

export const unknownDirective = (directive: unknown, patch: JsonObject): PatchError =>
  cannotMerge(`unknown patch type: ${goValueText(directive)} in map: ${goValueText(patch)}`)

export const wrongArgument = (expected: 'list' | 'map', found: unknown): PatchError =>
  cannotMerge(
    `expected a ${expected === 'list' ? '[]interface {}' : 'map[string]interface {}'}, but received a ${goTypeName(found)}`,
  )
