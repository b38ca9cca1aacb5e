import { uuid, type World } from '@strata/world'
import type { TestUser } from './cluster.ts'

/** Tokens that the server accepts: one for the administrator, and one for each user that a test asks for. */
export class Users {
  readonly admin: string
  readonly #random: World['random']
  readonly #byToken = new Map<string, Required<TestUser>>()

  constructor(random: World['random'], admin: string = uuid(random)) {
    this.#random = random
    this.admin = admin
    this.#byToken.set(admin, { name: 'admin', groups: ['system:masters'] })
  }

  tokenOf({ name, groups = [] }: TestUser): string {
    const token = uuid(this.#random)
    this.#byToken.set(token, { name, groups })
    return token
  }

  readonly lookup = (token: string): Required<TestUser> | undefined => this.#byToken.get(token)
}
