import { hash } from 'node:crypto'
import type { TokenReview } from '@strata/api'
import { abortable, type Clock, type Log } from '@strata/world'
import { asAuthenticated, type TokenSource, type TokenVerdict } from '../authentication/index.ts'
import type { Aggregator } from './aggregator.ts'
import { type AnswerLimits, SharedAnswers, TooManyQuestions } from './shared-answers.ts'

const path = '/apis/authentication.k8s.io/v1/tokenreviews'
/** As upstream's aggregated servers: short enough for a token that is withdrawn, long enough for storms. */
const limits: AnswerLimits = { keptMs: 10_000, mostKept: 4_096, mostAsked: 400 }

/**
 * Authenticates tokens by asking the aggregator, with a TokenReview. If it cannot be asked, the token is refused, and nothing is
 * remembered.
 */
export function createTokenReviewAuthenticator(
  aggregator: Aggregator,
  { clock, log }: { readonly clock: Clock; readonly log: Log },
  /** The names of this API, if tokens must be for one of them. By default they must be for the aggregator. */
  apiAudiences: readonly string[] = [],
): TokenSource {
  const answers = new SharedAnswers<TokenVerdict>(clock, limits)
  const ask = async (token: string, audiences: readonly string[]): Promise<TokenVerdict> => {
    const spec = { token, ...(audiences.length > 0 ? { audiences } : {}) }
    const review: TokenReview = {
      ...{ apiVersion: 'authentication.k8s.io/v1', kind: 'TokenReview', metadata: {} },
      spec,
    }
    return decideVerdict(await aggregator.post<TokenReview>(path, review), audiences)
  }
  return {
    options: { apiAudiences },
    authenticate: (token, signal, audiences) => {
      // No token is kept in memory in clear text.
      const key = hash('sha256', JSON.stringify([token, ...audiences]), 'base64')
      const found = answers.get(key, () => ask(token, audiences))
      if (!(found instanceof Promise)) return found
      return abortable(found, signal).catch((error: unknown) => {
        signal.throwIfAborted()
        if (error instanceof TooManyQuestions) throw error
        const why = error instanceof Error ? error.message : String(error)
        log.warn('a token could not be checked: the aggregator gave no answer', { error: why })
        return { refused: why }
      })
    },
  }
}

/** What the answer of the aggregator means. */
export function decideVerdict({ status = {} }: TokenReview, wanted: readonly string[]): TokenVerdict {
  const { authenticated, user = {}, audiences = [], error = '' } = status
  if (authenticated !== true) return { refused: error === '' ? 'invalid bearer token' : error }
  const { username: name = '', uid = '', groups = [], extra = {} } = user
  if (name === '') return { refused: 'the answer of the aggregator names no user' }
  const meant = wanted.filter((each) => audiences.includes(each))
  // An aggregator that does not know audiences says nothing about them: its tokens are for itself.
  if (wanted.length > 0 && meant.length === 0) return 'foreign'
  const hasExtra = Object.keys(extra).length > 0
  return {
    user: asAuthenticated({ name, groups, ...(uid === '' ? {} : { uid }), ...(hasExtra ? { extra } : {}) }),
    audiences: meant,
  }
}
