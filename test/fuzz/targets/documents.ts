import { isJsonObject, isTooDeep, jsonEqual, parseLossless, parseSent } from '@strata/api'
import {
  countKeys,
  countKeysIn,
  findDuplicateKeys,
  MalformedJson,
  parseYaml,
  yamlText,
} from '@strata/server/readers'
import { chance, integer, pick, type Random } from '@strata/world'
import { stringify } from 'yaml'
import { aliasedYaml } from '../generate/aliased-yaml.ts'
import { jsonObject, jsonValue, mutateJson } from '../generate/json.ts'
import { mutateText } from '../generate/mutate-text.ts'
import { characters, listOf, shortName } from '../generate/text.ts'
import { expect, pureTarget, shown } from '../target.ts'
import { recordedBodies } from './recorded.ts'
import { NotSimple, simpleYaml } from './simple-yaml.ts'

const longest = 16_000

const styles = [
  (value: unknown) => JSON.stringify(value),
  (value: unknown) => JSON.stringify(value, undefined, 2),
  (value: unknown) => (isJsonObject(value) ? yamlText(value) : JSON.stringify(value)),
  (value: unknown) => stringify(value, { version: '1.1', schema: 'yaml-1.1' }),
  (value: unknown) => stringify(value, { version: '1.1', schema: 'core', defaultStringType: 'QUOTE_DOUBLE' }),
  aliasedYaml,
] as const

/** Bodies that people have sent, and values of all sorts. */
const document = (random: Random): unknown => {
  const draw = random.fraction()
  if (draw < 0.3) return pick(random, recordedBodies())
  if (draw < 0.5) return mutateJson(random, pick(random, recordedBodies()), () => jsonValue(random, 2))
  return chance(random, 0.5) ? jsonObject(random) : jsonValue(random)
}

function written(value: unknown, style: number): string {
  const text = styles[style % styles.length]?.(value) ?? ''
  const json = JSON.stringify(value)
  // The library writes a byte order mark as it is, and reads it as none. It does not quote "0o17", a number to Go.
  // The library writes "undefined" into a quoted text that it folds if the indentation is wider than a line.
  const isGarbled = text.includes('undefined') && !json.includes('undefined')
  return text.includes('\ufeff') || /\b0[oOXB]/.test(text) || isGarbled ? json : text
}

/** Half a pair of surrogates is no character: it becomes another on the way to bytes. */
const wellFormed = (value: unknown): unknown =>
  JSON.parse(JSON.stringify(value).replace(/\\ud[89a-f][0-9a-f]{2}/gi, '\\ufffd'))

/** Either a value, which is written in a style and must come back, or a damaged text. */
type YamlInput = { readonly values: readonly unknown[]; readonly style: number; readonly text: string }

/** Words and numbers that are not quoted: what YAML 1.1, Go and JavaScript take for different things. */
const plainScalars = (random: Random): string =>
  listOf(random, 4, (each) => `${shortName(each)}: ${plainScalar(each)}\n`).join('')

function plainScalar(random: Random): string {
  const sign = pick(random, ['', '', '-', '+'])
  const prefix = pick(random, ['', '', '0', '0x', '0b', '0o', '0X', '.'])
  const end = pick(random, ['', '', '', '.0', '.', 'e3', 'E-2', '_', ':30', 'e999'])
  if (chance(random, 0.2)) return pick(random, ['yes', 'Off', 'NO', 'yEs', 'y', 'Null', '~', 'TRUE', 'tRue'])
  return `${sign}${prefix}${characters(random, integer(random, 20), chance(random, 0.5) ? '01' : '0123456789_')}${end}`
}

/** Numbers are compared by their text: a value would lose the digits that a mistake loses. */
function checkPlain(text: string, value: unknown): void {
  let simple: unknown
  try {
    simple = simpleYaml(text)
  } catch (error) {
    if (error instanceof NotSimple) return
    throw error
  }
  const [found, wanted] = [JSON.stringify(value), JSON.stringify(simple)]
  expect(found === wanted, () => `another value: ${shown(found)}, not ${shown(wanted)}`)
}

/** Tests the given parser: the fuzzer's own tests pass parsers with mistakes. */
export const yamlTarget = (parse: typeof parseYaml) =>
  pureTarget<YamlInput>({
    name: 'yaml',
    about: 'YAML up to 16 KB: values come back from every style, plain scalars have a second reader',
    share: 8,
    open: () => ({
      generate: (random) => {
        const value = wellFormed(document(random))
        const style = integer(random, styles.length)
        const text = written(value, style)
        if (chance(random, 0.4) && text.length < longest) return { values: [value], style, text: '' }
        if (chance(random, 0.3)) return { values: [], style, text: plainScalars(random) }
        const other = written(wellFormed(document(random)), integer(random, styles.length))
        return { values: [], style, text: mutateText(random, text, other, longest) }
      },
      check: ({ values, style, text: damaged }) => {
        const text = values.length > 0 ? written(values[0], style) : damaged
        try {
          const parsed = parse(text)
          checkPlain(text, parsed.value)
          // A value that is not valid JSON cannot be stored: validation refuses such a body later.
          const plain: unknown = JSON.parse(JSON.stringify(parsed.value) ?? 'null')
          for (const wanted of values.slice(0, 1))
            expect(jsonEqual(plain, wanted), () => `reads ${shown(plain)} instead of ${shown(wanted)}`)
          // An answer is always an object.
          const answer = { value: wellFormed(plain) }
          const again = parse(yamlText(answer)).value
          expect(
            jsonEqual(again, answer),
            () => `writes ${shown(yamlText(answer))}, which reads ${shown(again)}`,
          )
          return 'accepted'
        } catch (error) {
          if (!(error instanceof MalformedJson)) throw error
          expect(values.length === 0, () => `refused: ${error.message}`)
          return 'refused'
        }
      },
    }),
  })

export const yaml = yamlTarget(parseYaml)

export const json = pureTarget<{ readonly text: string }>({
  name: 'json',
  about: 'JSON texts: the same result as JSON.parse, but without lost digits',
  share: 12,
  open: () => ({
    generate: (random) => {
      const text = JSON.stringify(document(random))
      const damaged = mutateText(random, text, JSON.stringify(document(random)), longest)
      return { text: damaged.toWellFormed() }
    },
    // Bytes that are no UTF-8 become other characters on the way to text, and never half a pair of surrogates.
    check: ({ text: any }) => {
      const text = any.toWellFormed()
      isTooDeep(text)
      const wanted = attempt(() => JSON.parse(text))
      const found = attempt(() => parseLossless(text))
      expect(
        (found === undefined) === (wanted === undefined),
        () => `${found ? 'accepted' : 'refused'}, and the engine does not`,
      )
      if (attempt(() => parseSent(text)) === undefined) {
        expect(wanted === undefined || holdsInfinity(wanted.value), () => 'refused when it is sent')
        return 'refused'
      }
      if (found === undefined || wanted === undefined) return 'refused'
      expect(
        (findDuplicateKeys(text).length === 0) === (countKeysIn(text) === countKeys(found.value)),
        () => `finds the keys ${shown(findDuplicateKeys(text))} twice, and the counts say otherwise`,
      )
      const written = JSON.stringify(found.value)
      expect(
        jsonEqual(JSON.parse(written), wellFormed(wanted.value)) ||
          JSON.stringify(wanted.value).includes('\\ud'),
        () => `reads ${shown(written)} instead of ${shown(wanted.value)}`,
      )
      expect(
        JSON.stringify(parseLossless(written)) === written,
        () => `${shown(written)} does not stay as it is`,
      )
      return 'accepted'
    },
  }),
})

const holdsInfinity = (value: unknown): boolean =>
  typeof value === 'object' && value !== null
    ? Object.values(value).some(holdsInfinity)
    : typeof value === 'number' && !Number.isFinite(value)

function attempt(read: () => unknown): { readonly value: unknown } | undefined {
  try {
    return { value: read() }
  } catch (error) {
    if (error instanceof SyntaxError) return undefined
    throw error
  }
}
