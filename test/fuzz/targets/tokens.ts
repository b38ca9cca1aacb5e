import { generateKeyPairSync } from 'node:crypto'
import { jsonEqual } from '@strata/api'
import { readSigningKey } from '@strata/server'
import {
  bearerToken,
  ConfigurationProblem,
  decodeContinue,
  encodeContinue,
  hasValidSignature,
  parseToken,
  parseTokenFile,
  signToken,
} from '@strata/server/readers'
import { chance, integer, pick, type Random } from '@strata/world'
import { jsonObject, mutateJson } from '../generate/json.ts'
import { mutateText } from '../generate/mutate-text.ts'
import { characters, listOf, name, text } from '../generate/text.ts'
import { expect, pureTarget, shown } from '../target.ts'
import { simpleTokenFile } from './simple-token-file.ts'

const part = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url')

export const webToken = pureTarget<{ readonly claims: Record<string, unknown>; readonly token: string }>({
  name: 'web-token',
  about: 'forged and damaged JSON Web Tokens: none with changed content is valid',
  share: 4,
  open: () => {
    // A key of its own in each run: no verdict depends on which.
    const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
    const key = readSigningKey(privateKey.export({ type: 'pkcs8', format: 'pem' }) as string)
    const forged = (random: Random, token: string): string => {
      const [head = '', body = '', signature = ''] = token.split('.')
      const otherHead = part({ alg: pick(random, ['none', 'HS256', 'ES256', 'RS256', '']), kid: key.keyId })
      const otherBody = part(jsonObject(random))
      switch (integer(random, 5)) {
        case 0:
          return [otherHead, body, chance(random, 0.5) ? '' : signature].join('.')
        case 1:
          return [head, otherBody, signature].join('.')
        case 2:
          return [head, part(mutateJson(random, {}, () => 1)), signature].join('.')
        default:
          return mutateText(random, token, `${otherHead}.${otherBody}.${signature}`)
      }
    }
    return {
      generate: (random) => {
        const claims = jsonObject(random, 1)
        const token = signToken(key, claims)
        return { claims, token: chance(random, 0.1) ? token : forged(random, token) }
      },
      check: ({ claims, token }) => {
        const parsed = parseToken(token)
        if (!parsed || !hasValidSignature(parsed, [key])) return 'refused'
        expect(jsonEqual(parsed.claims, claims), () => `valid, and says ${shown(parsed.claims)}`)
        return 'accepted'
      },
    }
  },
})

export const bearer = pureTarget<{ readonly header: string }>({
  name: 'bearer',
  about: 'Authorization headers: a token is part of the header and has no white space',
  share: 4,
  open: () => ({
    generate: (random) => {
      const header = `${pick(random, ['Bearer', 'bearer', 'BEARER', 'Basic'])} ${characters(random, integer(random, 30))}`
      return { header: chance(random, 0.3) ? header : mutateText(random, header, text(random), 8_000) }
    },
    check: ({ header }) => {
      const found = bearerToken(header)
      if (typeof found === 'string') return 'refused'
      expect(!/\s/.test(found.token) && header.includes(found.token), () => `token ${shown(found.token)}`)
      return 'accepted'
    },
  }),
})

const quoted = (field: string): string => (/[",\n]/.test(field) ? `"${field.replaceAll('"', '""')}"` : field)

type TokenRow = { readonly token: string; readonly user: string; readonly groups: readonly string[] }

type ParseTokenFile = typeof parseTokenFile

const written = (rows: readonly TokenRow[]): string =>
  rows
    .map(({ token, user, groups }) => [token, quoted(user), '', quoted(groups.join(','))].join(','))
    .join('\n')

function checkUsers(text: string, users: ReturnType<ParseTokenFile>): void {
  const found = [...users].map(([token, { name: user, uid = '', groups }]) => [
    token,
    user,
    uid,
    [...(groups ?? [])],
  ])
  const simple = simpleTokenFile(text)
  const wanted = [...(simple ?? [])].map(([token, { name: user, uid, groups }]) => [
    token,
    user,
    uid,
    [...groups],
  ])
  expect(!simple || jsonEqual(found, wanted), () => `users ${shown(found)}, not ${shown(wanted)}`)
  // A line that is not well formed may be read, but makes up no user and no group.
  const plain = text.replaceAll('""', '"')
  for (const each of found.flat(2) as string[])
    expect(text.includes(each) || plain.includes(each), () => `not in the file: ${shown(each)}`)
  expect(
    found.every(([token, user]) => token !== '' && user !== ''),
    () => 'a user without a name or token',
  )
}

/** Tests the given parser: the fuzzer's own tests pass parsers with mistakes. */
export const tokenFileTarget = (parse: ParseTokenFile) =>
  pureTarget<{ readonly rows: readonly TokenRow[]; readonly text: string }>({
    name: 'token-file',
    about: 'files for --token-auth-file: tokens, users and groups, compared with a second reader',
    share: 4,
    open: () => {
      const row = (random: Random): TokenRow => ({
        token: name(random),
        user: chance(random, 0.8) ? name(random) : 'a,b "c"',
        groups: listOf(random, 3, name),
      })
      return {
        generate: (random) => {
          const rows = listOf(random, 4, row)
          if (chance(random, 0.4)) return { rows, text: '' }
          return { rows: [], text: mutateText(random, written(rows), text(random), 4_000) }
        },
        check: ({ rows, text: damaged }) => {
          const given = rows.length > 0 ? written(rows) : damaged
          try {
            checkUsers(given, parse(given, 'tokens.csv'))
            return 'accepted'
          } catch (error) {
            if (!(error instanceof ConfigurationProblem)) throw error
            expect(rows.length === 0, () => `refused: ${error.message}`)
            return 'refused'
          }
        },
      }
    },
  })

export const tokenFile = tokenFileTarget(parseTokenFile)

export const continueToken = pureTarget<{ readonly token: string }>({
  name: 'continue-token',
  about: 'continue tokens: none leads out of the list that it belongs to',
  share: 6,
  open: () => {
    const prefix = '/registry/configmaps/a/'
    return {
      generate: (random) => {
        const after = `${prefix}${name(random)}`
        const token = encodeContinue(prefix, { revision: 1 + integer(random, 100), after })
        if (chance(random, 0.1)) return { token }
        const start = pick(random, ['../b/x', '/../x', 'a/../../b', '', '.', '\u0000', text(random)])
        const other = part({ v: 'meta.k8s.io/v1', rv: pick(random, [1, -1, 0, 2 ** 60, '1', null]), start })
        return { token: chance(random, 0.5) ? other : mutateText(random, token, other, 4_000) }
      },
      check: ({ token }) => {
        try {
          const { revision, after } = decodeContinue(prefix, token)
          expect(
            after.startsWith(prefix.slice(0, -1)) &&
              !after.includes('/../') &&
              Number.isSafeInteger(revision),
            () => `goes on after ${shown(after)} at ${revision}`,
          )
          return 'accepted'
        } catch (error) {
          if ((error as { code?: unknown }).code === 400) return 'refused'
          throw error
        }
      },
    }
  },
})
