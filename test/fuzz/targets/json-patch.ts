import { applyJsonPatch, isJsonObject, jsonEqual, PatchError } from '@strata/api'
import { chance, pick, type Random } from '@strata/world'
import { jsonObject, jsonValue, mutateJson } from '../generate/json.ts'
import { listOf, text } from '../generate/text.ts'
import { expect, pureTarget, shown } from '../target.ts'
import { NotApplicable, simpleJsonPatch } from './simple-json-patch.ts'

/** The paths that lead somewhere in a document, escaped as a pointer has them. */
function pathsOf(value: unknown, path = ''): string[] {
  if (typeof value !== 'object' || value === null) return [path]
  return [
    path,
    ...Object.entries(value).flatMap(([field, each]) =>
      pathsOf(each, `${path}/${field.replaceAll('~', '~0').replaceAll('/', '~1')}`),
    ),
  ]
}

const operators = ['add', 'remove', 'replace', 'move', 'copy', 'test'] as const

function pointer(random: Random, paths: readonly string[]): string {
  const path = paths.length > 0 ? pick(random, paths as [string, ...string[]]) : ''
  const draw = random.fraction()
  if (draw < 0.6) return path
  if (draw < 0.8)
    return `${path}/${pick(random, ['-', '0', '-1', '1', 'a', 'b', '__proto__', '~1', '01', '+0'])}`
  return draw < 0.9 ? path.slice(0, path.lastIndexOf('/')) : text(random)
}

function operation(random: Random, paths: readonly string[]): unknown {
  const op = chance(random, 0.97) ? pick(random, operators) : text(random)
  const made = {
    op,
    path: pointer(random, paths),
    ...(op === 'move' || op === 'copy' ? { from: pointer(random, paths) } : {}),
    ...(['add', 'replace', 'test'].includes(op) ? { value: jsonValue(random, 2) } : {}),
  }
  return chance(random, 0.03) ? mutateJson(random, made, () => jsonValue(random, 1)) : made
}

type PatchInput = { readonly document: Record<string, unknown>; readonly patch: unknown }

export const jsonPatch = pureTarget<PatchInput>({
  name: 'json-patch',
  about: 'JSON patches, compared with a second implementation of RFC 6902',
  share: 12,
  open: () => ({
    generate: (random) => {
      const document = jsonObject(random)
      const paths = pathsOf(document)
      return { document, patch: listOf(random, 6, (each) => operation(each, paths)) }
    },
    check: ({ document, patch }) => {
      if (!isJsonObject(document)) return 'refused'
      const before = JSON.stringify([document, patch])
      const found = attempt(() => applyJsonPatch(document, patch))
      const wanted = attempt(() => simpleJsonPatch(document, patch))
      expect(JSON.stringify([document, patch]) === before, () => 'the patch changed its arguments')
      if (found === undefined || wanted === undefined) {
        expect(found === wanted, () => `gives ${shown(found)}, the second implementation ${shown(wanted)}`)
        return 'refused'
      }
      expect(
        jsonEqual(found.value, wanted.value) && JSON.stringify(found.value).length > 0,
        () => `gives ${shown(found.value)}, the second implementation ${shown(wanted.value)}`,
      )
      return 'accepted'
    },
  }),
})

function attempt(apply: () => unknown): { readonly value: unknown } | undefined {
  try {
    return { value: apply() }
  } catch (error) {
    if (error instanceof PatchError || error instanceof NotApplicable) return undefined
    throw error
  }
}
