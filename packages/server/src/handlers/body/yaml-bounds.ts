import { ApiError } from '@strata/api'
import { Lexer } from 'yaml'
import { MalformedJson } from '../../codec/index.ts'

/** More than twice as many as the largest CRDs in use have. */
const mostTokens = 1_500_000
/** As deep as a body may be. Parsing a deeper text would only cost time and memory. */
const mostDepth = 1_000
/** `toJS` of the library looks for the anchor of each alias among all anchors and aliases before it. */
const mostAnchors = 2_000

/**
 * Bounds the work of a document before it is parsed: tokenizing takes a tenth of the time, and ends at the first token too
 * many. Parsing 2.5 megabytes of `[` took twelve seconds, only to refuse their depth.
 */
export function checkYamlBounds(text: string): void {
  let tokens = 0
  let depth = 0
  let anchors = 0
  let isText = false
  for (const token of new Lexer().lex(text)) {
    if (++tokens > mostTokens) throw tooLarge(`${mostTokens} tokens`)
    const first = token.charCodeAt(0)
    if (isText) isText = false
    else if (first === textFollows) isText = true
    else if (first === openBracket || first === openBrace) {
      if (++depth > mostDepth) throw new MalformedJson(`yaml: exceeded max depth of ${mostDepth}`)
    } else if (first === closeBracket || first === closeBrace) depth--
    else if ((first === anchor || first === alias) && ++anchors > mostAnchors) {
      throw tooLarge(`${mostAnchors} anchors and aliases`)
    }
  }
}

const tooLarge = (what: string): ApiError =>
  new ApiError(
    413,
    'RequestEntityTooLarge',
    `the YAML in the body has more than ${what}; send it as JSON, or less of it`,
  )

// The first characters of tokens. Unquoted text may begin with anything, and has a token of its own before it.
const textFollows = 0x1f
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const anchor = 0x26
const alias = 0x2a
