import { createHmac, hash, timingSafeEqual } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { sleep, type World } from '@strata/world'
import type { TokenLookup, User } from '../authentication/index.ts'
import { ConfigurationProblem, errorCode } from '../configuration/index.ts'

/** The file is polled: this also notices a file that is replaced through links, on every file system. */
const pollMs = 1_000

/** kube-apiserver's format: one `token,user,uid,"group1,group2"` per line. */
export function parseTokenFile(text: string, path: string): Map<string, User> {
  const users = new Map<string, User>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line.trim() === '' || line.startsWith('#')) continue
    const fields = fieldsOf(line.trim())
    const [token = '', name = '', uid = '', groups = ''] = fields ?? []
    // As upstream: a line has at least three fields. A line that is being written often has fewer.
    if (!fields || fields.length < 3 || token === '' || name === '') {
      throw new ConfigurationProblem(
        `--token-auth-file ${path}, line ${index + 1}: expected token,user,uid[,"group1,group2"]`,
      )
    }
    users.set(token, {
      name,
      ...(uid === '' ? {} : { uid }),
      groups: groups
        .split(',')
        .map((group) => group.trim())
        .filter((group) => group !== ''),
    })
  }
  return users
}

/** Undefined if a quote is not closed, or stands within a field, as in Go's CSV. */
function fieldsOf(line: string): readonly string[] | undefined {
  const field = /(?:"((?:[^"]|"")*)"|([^",]*))(,|$)/y
  const fields: string[] = []
  for (;;) {
    const found = field.exec(line)
    if (!found) return undefined
    const [, quoted, plain = '', end] = found
    fields.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'))
    if (end === '') return fields
  }
}

interface KnownToken {
  readonly digest: Buffer
  readonly user: User
}

/**
 * Finds users by digests of their tokens, with a random key: the time of a lookup reveals nothing about the tokens in the
 * file. The match is compared in constant time.
 */
export function createTokenLookup(users: ReadonlyMap<string, User>, key: Uint8Array): TokenLookup {
  const digestOf = (token: string): Buffer => createHmac('sha256', key).update(token).digest()
  const known = new Map<string, KnownToken>()
  for (const [token, user] of users) {
    const digest = digestOf(token)
    known.set(digest.toString('base64'), { digest, user })
  }
  return (token) => {
    const digest = digestOf(token)
    const found = known.get(digest.toString('base64'))
    return found && timingSafeEqual(found.digest, digest) ? found.user : undefined
  }
}

/** The tokens of a file, kept up to date: removing a line revokes its token without a restart. */
export class TokenFile {
  readonly #path: string
  readonly #world: World
  readonly #key: Uint8Array
  #hash: string
  /** A changed text that was read once so far. */
  #seenOnce: string | undefined
  #lookup: TokenLookup
  /** The problem of the file as it is now. Logged once. */
  #problem: string | undefined

  private constructor(path: string, text: string, world: World) {
    this.#path = path
    this.#world = world
    this.#key = world.random.bytes(32)
    this.#hash = hash('sha256', text)
    this.#lookup = createTokenLookup(parseTokenFile(text, path), this.#key)
  }

  static async open(path: string, world: World): Promise<TokenFile> {
    return new TokenFile(path, await readTokenFile(path), world)
  }

  readonly lookup: TokenLookup = (token) => this.#lookup(token)

  /** Follows the file until the signal is aborted. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      await sleep(this.#world.clock, pollMs, signal).catch(() => {})
      if (!signal.aborted) await this.look()
    }
  }

  /**
   * Reloads the file once two reads in a row have returned the same text: the first may have come while the file was being
   * written. A file that cannot be read or parsed changes nothing.
   */
  async look(): Promise<void> {
    const { log } = this.#world
    try {
      const text = await readTokenFile(this.#path)
      const next = hash('sha256', text)
      if (next !== this.#hash) {
        const isSettled = next === this.#seenOnce
        this.#seenOnce = next
        if (!isSettled) return
        const users = parseTokenFile(text, this.#path)
        this.#lookup = createTokenLookup(users, this.#key)
        this.#hash = next
        log.info('token file reloaded', { file: this.#path, tokens: users.size })
      }
      this.#seenOnce = undefined
      this.#problem = undefined
    } catch (error) {
      const problem = error instanceof Error ? error.message : String(error)
      if (problem === this.#problem) return
      this.#problem = problem
      log.error('token file reload failed; the previous tokens stay valid', { problem })
    }
  }
}

function readTokenFile(path: string): Promise<string> {
  return readFile(path, 'utf8').catch((error: unknown) => {
    throw new ConfigurationProblem(
      `--token-auth-file ${path}: ${errorCode(error) === 'ENOENT' ? 'there is no such file' : `cannot be read (${errorCode(error)})`}`,
    )
  })
}
