import { plainKey } from '@strata/api'
import { keyTextOf, shortKey } from './key-text.ts'

/** One rule of an encryption file, as it should be: the first key writes, all of them read. */
export interface WantedRule {
  readonly resources: readonly string[]
  readonly keys: readonly string[]
}

/**
 * The `resources` of an EncryptionConfiguration as every server should have it. No secret is in it: none is known here, and output
 * ends up in logs.
 */
export function providerSnippet(rules: readonly WantedRule[], newKey: string | undefined): readonly string[] {
  return ['resources:', ...rules.flatMap((rule) => ruleLines(rule, newKey))]
}

function ruleLines({ resources, keys }: WantedRule, newKey: string | undefined): string[] {
  const lines = [`  - resources: [${resources.map(quoted).join(', ')}]`, '    providers:']
  let before = ''
  for (const key of keys) {
    const { provider, name } = keyTextOf(key)
    if (key === plainKey) lines.push('      - identity: {}')
    else if (provider === 'kms')
      lines.push(`      - kms: {apiVersion: v2, name: ${name}, endpoint: <as it is>}`)
    else {
      // Keys of one provider that follow each other are one list.
      if (provider !== before) lines.push(`      - ${provider}:`, '          keys:')
      const isNew = newKey !== undefined && shortKey(key) === shortKey(newKey)
      lines.push(
        `            - name: ${name}`,
        `              secret: <${isNew ? 'new: head -c 32 /dev/urandom | base64' : 'as it is'}>`,
      )
    }
    before = key === plainKey || provider === 'kms' ? '' : provider
  }
  return lines
}

/** `*.*` begins an alias in YAML. */
const quoted = (text: string): string => (/^[\w.-]+$/.test(text) ? text : `'${text}'`)

/** The new key behind the one that writes now: every server can read it before any server writes it. */
export function withKeyAdded(keys: readonly string[], newKey: string): readonly string[] {
  const [writes, ...rest] = keys.filter((each) => !isSame(each, newKey))
  return writes === undefined ? [newKey] : [writes, newKey, ...rest]
}

export const withKeyFirst = (keys: readonly string[], newKey: string): readonly string[] => [
  newKey,
  ...keys.filter((each) => !isSame(each, newKey)),
]

export const withoutKeys = (keys: readonly string[], dropped: readonly string[]): readonly string[] =>
  keys.filter((each) => !dropped.some((other) => isSame(each, other)))

const isSame = (a: string, b: string): boolean => shortKey(a) === shortKey(b)
