/** How many numbers a vector of the built-in embedding model has. */
export const guideEmbeddingSize = 256;
