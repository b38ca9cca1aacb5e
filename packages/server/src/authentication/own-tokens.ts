import { generateKeyPairSync } from 'node:crypto'
import { serveDefaults } from '../configuration/index.ts'
import type { ServiceAccountTokenOptions } from './service-account-tokens.ts'
import { signingKey } from './signing-key.ts'

/** The default issuer of tokens. */
export const defaultIssuer: string = serveDefaults.serviceAccountIssuer

/** For a single server without persistent keys: a key of its own, which ends with the process. */
export function ownTokens(): ServiceAccountTokenOptions {
  const key = signingKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
  return {
    issuers: [defaultIssuer],
    apiAudiences: [defaultIssuer],
    signingKey: key,
    verificationKeys: [key],
  }
}
