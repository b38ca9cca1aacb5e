import type { HttpResponse } from '@strata/world'
import type { ServiceAccountTokenOptions } from './service-account-tokens.ts'

const openidConfigurationPath = '/.well-known/openid-configuration'
const jwksPath = '/openid/v1/jwks'

/** Keys change by hand only; others may keep what they were told for an hour, as upstream says. */
const cacheControl = 'public, max-age=3600'

/** What others need to check tokens by themselves: who signs them, and the public halves of the keys. */
export function openidDocuments(
  options: ServiceAccountTokenOptions,
): Readonly<Record<string, () => HttpResponse>> {
  const keys = options.verificationKeys.map(({ keyId, algorithm, publicKey }) => {
    const { kty, ...parameters } = publicKey.export({ format: 'jwk' })
    return { use: 'sig', kty, kid: keyId, alg: algorithm, ...parameters }
  })
  const configuration = {
    issuer: options.issuers[0],
    // Never by the name that a request calls us: whoever caches the answer would send others to a forger's keys.
    jwks_uri: options.jwksUri ?? `${options.issuers[0]}${jwksPath}`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: [...new Set(keys.map(({ alg }) => alg))].sort(),
  }
  return {
    [openidConfigurationPath]: () => answer('application/json', configuration),
    [jwksPath]: () => answer('application/jwk-set+json', { keys }),
  }
}

function answer(contentType: string, document: unknown): HttpResponse {
  return {
    status: 200,
    headers: { 'content-type': contentType, 'cache-control': cacheControl },
    body: Buffer.from(JSON.stringify(document)),
  }
}
