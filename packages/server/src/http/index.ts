export { answerErrors, answerRequests } from './answer.ts'
export { type Listener, listen } from './listen.ts'
export { budgetLimits } from './spending.ts'
export { toApiError } from './status.ts'
