import { ApiError } from '@strata/api'
import { Lexer } from 'yaml'
import { MalformedJson } from '../../codec/index.ts'

/** More than twice as many as the largest CustomResourceDefinitions have that are in use. */
const mostTokens = 1_500_000
/** As deep as a body may be; to parse what is deeper takes time and memory for nothing. */
const mostDepth = 1_000
/** The library looks for each use of an anchor among all of them. */
const mostAnchors = 2_000

/**
 * Bounds the work of a document before it is parsed: splitting it into tokens takes a tenth of the time, and ends at the
 * first token too many. 2.5 megabytes of `[` took twelve seconds to be refused for their depth.
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

// How tokens begin. Text that is not quoted may begin with anything, and is announced by a token of its own.
const textFollows = 0x1f
const openBracket = 0x5b
const closeBracket = 0x5d
const openBrace = 0x7b
const closeBrace = 0x7d
const anchor = 0x26
const alias = 0x2a
