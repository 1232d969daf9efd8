// @ts-check
// The page asks its own server, and that adds the key: a key has no place in a page.
//
//   OPENAI_BASE_URL=http://localhost:8000/v1 npx vite examples/browser

const { OPENAI_BASE_URL = "http://localhost:8000/v1", OPENAI_API_KEY } = process.env;

/** @type {import("vite").UserConfig} */
export default {
  server: {
    proxy: {
      "/model": {
        target: OPENAI_BASE_URL,
        headers: { authorization: `Bearer ${OPENAI_API_KEY}` },
        changeOrigin: true,
        rewrite: (path) => path.replace("/model", ""),
      },
    },
  },
};
