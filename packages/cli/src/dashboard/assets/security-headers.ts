/**
 * What the page may do, stated once for both ways to serve it. It runs only its own files, talks only to its own origin, and
 * is never inside another page. Object names come from clusters: a script that got in through one could not run, load or send
 * anything. Trusted Types also close the ways by which text becomes markup.
 */
const policy = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "font-src 'none'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ')

export const securityHeaders: Readonly<Record<string, string>> = {
  'content-security-policy': policy,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  // For browsers that do not know frame-ancestors.
  'x-frame-options': 'DENY',
}
