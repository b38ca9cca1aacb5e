import { generateKeyPairSync } from 'node:crypto'
import { serveDefaults } from '../configuration/index.ts'
import type { ServiceAccountTokenOptions } from './service-account-tokens.ts'
import { signingKey } from './signing-key.ts'

/** Who signs tokens where nobody has said anything else. */
export const defaultIssuer: string = serveDefaults.serviceAccountIssuer

/** For a server that is alone and keeps nothing: a key that nobody else has, and that ends with the process. */
export function ownTokens(): ServiceAccountTokenOptions {
  const key = signingKey(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey)
  return {
    issuers: [defaultIssuer],
    apiAudiences: [defaultIssuer],
    signingKey: key,
    verificationKeys: [key],
  }
}
