import { createHash, timingSafeEqual } from 'node:crypto'
import { uuid, type World } from '@strata/world'
import type { TokenLookup, User } from '../authentication/index.ts'

/** Like upstream's loopback client: the token is created at the start, never leaves the process and may do everything. */
const loopbackUser: User = { name: 'system:apiserver', groups: ['system:masters'] }

/** Credentials with which a server sends requests to itself. */
export interface Loopback {
  readonly token: string
  /** Accepts the loopback token, and the tokens of `others`. */
  readonly tokens: TokenLookup
}

export function createLoopback({ random }: Pick<World, 'random'>, others: TokenLookup): Loopback {
  const token = `${uuid(random)}${uuid(random)}`
  const own = digest(token)
  return {
    token,
    tokens: (presented) => (timingSafeEqual(digest(presented), own) ? loopbackUser : others(presented)),
  }
}

function digest(token: string): Buffer {
  return createHash('sha256').update(token).digest()
}
