/** How long a built-in model may think about one request, and how long the check of an answer may take: a limit of ours. */
export const workLimitInMs = 5_000;
