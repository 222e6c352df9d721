import java.io.BufferedReader;
import java.io.FileInputStream;
import java.io.FileOutputStream;
import java.io.FileDescriptor;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.lang.invoke.MethodHandle;
import java.lang.invoke.MethodHandles;
import java.lang.invoke.MethodType;
import java.nio.ByteBuffer;
import java.util.HashMap;

/**
 * Runs programs inside of the JVM under test: each line of standard input names a file with one
 * program and what is to be called, and the answer is lines on standard output.
 *
 * <p>An instance loads the classes of one program. When it is gone, so are they.
 *
 * <p>It is one class without lambdas and strings that are put together by bootstrap methods, so
 * that starting takes little and works on every JVM since 8.
 */
public final class Host extends ClassLoader {
    private static final MethodType CHECK = MethodType.methodType(
            int.class, int.class, long[].class, long.class, long.class, int.class, long[].class);

    private final HashMap<String, byte[]> classes = new HashMap<String, byte[]>();

    private Host() {
        super(Host.class.getClassLoader());
    }

    /** Classes of the program are never looked for elsewhere. */
    @Override
    protected Class<?> loadClass(String name, boolean resolve) throws ClassNotFoundException {
        byte[] bytes = classes.get(name);
        if (bytes == null) {
            return super.loadClass(name, resolve);
        }
        Class<?> known = findLoadedClass(name);
        return known != null ? known : defineClass(name, bytes, 0, bytes.length);
    }

    public static void main(String[] args) throws IOException {
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        PrintStream out = new PrintStream(new FileOutputStream(FileDescriptor.out), false, "UTF-8");
        say(out, new StringBuilder("ready"));
        String file;
        while ((file = questions.readLine()) != null) {
            answer(ByteBuffer.wrap(read(file)), out);
        }
    }

    private static void answer(ByteBuffer request, PrintStream out) {
        boolean careful = request.get() != 0;
        Host host = new Host();
        MethodHandle check;
        try {
            check = host.load(request);
        } catch (Throwable refused) {
            say(out, new StringBuilder("rejected ").append(oneLine(refused)));
            return;
        }
        say(out, new StringBuilder("loaded"));
        int calls = request.getInt();
        int[] functions = new int[calls];
        long[][] inputs = new long[calls][];
        long[] expected = new long[calls];
        long[] leaving = new long[calls];
        for (int i = 0; i < calls; i++) {
            functions[i] = request.getInt();
            expected[i] = request.getLong();
            leaving[i] = request.getLong();
            inputs[i] = new long[request.getInt()];
            for (int k = 0; k < inputs[i].length; k++) {
                inputs[i][k] = request.getLong();
            }
        }
        boolean[] failed = new boolean[calls];
        long[] actual = new long[2];
        StringBuilder lines = new StringBuilder();
        int steps = request.getInt();
        int previous = -1;
        for (int i = 0; i < steps; i++) {
            int call = request.getInt();
            int times = request.getInt();
            if (careful) {
                lines.append("at ").append(call).append('\n');
            } else if (functions[call] != previous) {
                // A sign of life.
                lines.append("begun ").append(functions[call]).append('\n');
            }
            if (careful || functions[call] != previous) {
                previous = functions[call];
                out.append(lines).flush();
                lines.setLength(0);
            }
            if (failed[call]) {
                continue;
            }
            try {
                int wrong = (int) check.invokeExact(
                        functions[call], inputs[call], expected[call], leaving[call], times,
                        actual);
                if (wrong != -1) {
                    failed[call] = true;
                    lines.append(actual[1] == 0 ? "wrong " : "left ");
                    lines.append(call).append(' ').append(wrong).append(' ');
                    lines.append(actual[0]).append('\n');
                }
            } catch (Throwable thrown) {
                failed[call] = true;
                lines.append("thrown ").append(call).append(' ').append(oneLine(thrown));
                lines.append('\n');
            }
        }
        say(out, lines.append("done ").append(calls));
    }

    /** Defines all classes, and finds the method that calls functions. */
    private MethodHandle load(ByteBuffer request) throws Throwable {
        int n = request.getInt();
        String main = null;
        for (int i = 0; i < n; i++) {
            String name = new String(take(request), "UTF-8");
            classes.put(name, take(request));
            main = main == null ? name : main;
        }
        for (String name : classes.keySet()) {
            Class.forName(name, true, this);
        }
        Class<?> loaded = loadClass(main, false);
        return MethodHandles.publicLookup().findStatic(loaded, "check", CHECK);
    }

    private static byte[] take(ByteBuffer request) {
        byte[] bytes = new byte[request.getInt()];
        request.get(bytes);
        return bytes;
    }

    private static byte[] read(String file) throws IOException {
        FileInputStream in = new FileInputStream(file);
        try {
            byte[] bytes = new byte[(int) in.getChannel().size()];
            int n = 0;
            while (n < bytes.length) {
                int more = in.read(bytes, n, bytes.length - n);
                if (more < 0) {
                    throw new IOException("the file has become shorter");
                }
                n += more;
            }
            return bytes;
        } finally {
            in.close();
        }
    }

    private static String oneLine(Throwable thrown) {
        return String.valueOf(thrown).replace('\n', ' ');
    }

    private static void say(PrintStream out, StringBuilder lines) {
        out.append(lines.append('\n')).flush();
    }
}
