import type { ApiObject } from '@strata/api'
import { ApiError } from '@strata/api'
import { createClient, isForbidden, isSuccess, isUnauthorized } from '@strata/client'
import { readAll, type Transport, utf8 } from '@strata/world'
import type { ServedBy, Session, SessionState } from './session-state.ts'

/** Kept by the tab, and gone with it: no other tab and no later visitor of the machine finds the token. */
export interface TabStorage {
  getItem(name: string): string | null
  setItem(name: string, value: string): void
  removeItem(name: string): void
}

export interface SignInOptions {
  readonly transport: Transport
  readonly storage: TabStorage
  /** The address of the cluster, where nothing else names it. */
  readonly host: string
  /** The code of a sign-in link, which is removed from the address when it is taken. */
  readonly takeCode: () => string | undefined
  readonly show: (state: SessionState) => void
}

const tokenKey = 'strata.token'
/** In place of a token: this browser presents a certificate. */
const certificate = 'certificate'

/** Signs in and out. What it needs from the browser is handed in. */
export class SignIn {
  readonly #options: SignInOptions
  #by: ServedBy = 'server'
  /** Of a sign-in link, until it is exchanged: the address has it no more when a request has failed. */
  #code: string | undefined

  constructor(options: SignInOptions) {
    this.#options = options
  }

  /** A link signs in by itself; a reload stays signed in. Nothing is asked that a server would have to refuse. */
  async start(signal: AbortSignal): Promise<void> {
    this.#code = this.#options.takeCode() ?? this.#code
    const kept = this.#options.storage.getItem(tokenKey) ?? undefined
    try {
      const answer = await this.#ask('GET', signal, kept)
      this.#by = answer.kind === 'gateway' ? 'gateway' : 'server'
      if (this.#by === 'server') return await this.#startAtServer(kept, signal)
      if (answer.signedIn === true) return this.#enter({ ...answer, token: kept })
      if (this.#code !== undefined) return await this.#exchange(this.#code, signal)
      this.#options.storage.removeItem(tokenKey)
      this.#leave()
    } catch (error) {
      if (!signal.aborted) this.#options.show({ state: 'unreachable', problem: messageOf(error) })
    }
  }

  async withToken(token: string, signal: AbortSignal): Promise<void> {
    const trimmed = token.trim().replace(/^Bearer\s+/i, '')
    if (!/^[\x21-\x7e]+$/.test(trimmed)) {
      this.#leave('This is no token: a token has letters, digits and signs, and no spaces.')
      return
    }
    await this.#review(trimmed, signal)
  }

  withCertificate(signal: AbortSignal): Promise<void> {
    return this.#review(undefined, signal)
  }

  /** The gateway shows a new link to the user of its terminal, and nothing to the page. */
  async askForLink(signal: AbortSignal): Promise<void> {
    await this.#send('POST', '/dashboard/link', signal)
  }

  async signOut(signal: AbortSignal, problem?: string): Promise<void> {
    const token = this.#options.storage.getItem(tokenKey) ?? undefined
    this.#options.storage.removeItem(tokenKey)
    this.#leave(problem)
    if (this.#by === 'gateway' && problem === undefined)
      await this.#ask('DELETE', signal, token).catch(() => {})
  }

  /**
   * For the requests of a session, which may have ended elsewhere: a token has expired, or the gateway was started anew. A
   * late answer to a request of an earlier session says nothing about this one.
   */
  readonly noticing: Transport = async (request) => {
    const answer = await this.#options.transport(request)
    if (isUnauthorized(answer) && request.headers['authorization'] === this.#authorization())
      await this.signOut(request.signal, 'Your session has ended, or the token has expired.')
    return answer
  }

  #authorization(): string | undefined {
    const kept = this.#options.storage.getItem(tokenKey)
    return kept === null || kept === certificate ? undefined : `Bearer ${kept}`
  }

  #leave(problem?: string): void {
    this.#options.show({
      ...{ state: 'signed-out', by: this.#by },
      ...(problem === undefined ? {} : { problem }),
    })
  }

  async #startAtServer(kept: string | undefined, signal: AbortSignal): Promise<void> {
    if (kept === undefined) return this.#leave()
    await this.#review(kept === certificate ? undefined : kept, signal)
  }

  async #exchange(code: string, signal: AbortSignal): Promise<void> {
    try {
      this.#enter(await this.#ask('POST', signal, undefined, { code }))
    } catch (error) {
      if (!(error instanceof ApiError)) throw error
      this.#code = undefined
      this.#leave(error.message)
    }
  }

  #enter(answer: SessionAnswer): void {
    const { user = '', cluster = '', allowWrites = false, playground = false, token } = answer
    this.#code = undefined
    if (token !== undefined) this.#options.storage.setItem(tokenKey, token)
    const session: Session = { by: 'gateway', user, cluster, allowWrites, playground, token }
    this.#options.show({ state: 'signed-in', session })
  }

  /** Asks the API server who the user is. */
  async #review(token: string | undefined, signal: AbortSignal): Promise<void> {
    const { transport, storage, host, show } = this.#options
    const client = createClient({ transport, ...(token === undefined ? {} : { token }) })
    try {
      const review = await client
        .resource<SelfReview>({
          ...{ group: 'authentication.k8s.io', versionName: 'v1', resource: 'selfsubjectreviews' },
          kind: 'SelfSubjectReview',
        })
        .create({ metadata: {} }, signal)
      storage.setItem(tokenKey, token ?? certificate)
      const user = review.status?.userInfo?.username ?? ''
      const rights = { allowWrites: true, playground: false }
      show({ state: 'signed-in', session: { by: 'server', user, cluster: host, ...rights, token } })
    } catch (error) {
      if (signal.aborted) return
      storage.removeItem(tokenKey)
      this.#leave(explainRefusal(error, token !== undefined))
    }
  }

  async #ask(
    method: string,
    signal: AbortSignal,
    token: string | undefined,
    body?: object,
  ): Promise<SessionAnswer> {
    return JSON.parse(await this.#send(method, '/dashboard/session', signal, token, body)) as SessionAnswer
  }

  async #send(
    method: string,
    target: string,
    signal: AbortSignal,
    token?: string,
    body?: object,
  ): Promise<string> {
    const headers = {
      accept: 'application/json',
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    }
    const sent = body === undefined ? {} : { body: utf8.encode(JSON.stringify(body)) }
    const answer = await this.#options.transport({ method, target, headers, ...sent, signal })
    const text = utf8.decode(await readAll(answer.body))
    if (isSuccess(answer)) return text
    throw new ApiError(answer.status, 'Refused', messageIn(text))
  }
}

interface SelfReview extends ApiObject {
  status?: { readonly userInfo?: { readonly username?: string } }
}

interface SessionAnswer extends Partial<Omit<Session, 'by'>> {
  readonly kind?: string
  readonly signedIn?: boolean
}

function explainRefusal(error: unknown, hasToken: boolean): string {
  if (isUnauthorized(error))
    return hasToken
      ? 'The server does not accept this token: it is not one of its own, or it has expired.'
      : 'This browser presents no client certificate that the server accepts.'
  if (isForbidden(error))
    return hasToken
      ? 'The server knows this token, and its user may not even ask who it is. A cluster administrator can grant the role system:basic-user.'
      : 'This browser presents no client certificate: to the server you are anonymous.'
  return `The server could not be asked: ${messageOf(error)}.`
}

function messageIn(text: string): string {
  try {
    const { message } = JSON.parse(text) as { readonly message?: unknown }
    return typeof message === 'string' ? message : text.slice(0, 500)
  } catch {
    return text.slice(0, 500)
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error))
