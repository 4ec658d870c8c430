import java.io.BufferedReader;
import java.io.InputStreamReader;
import java.security.MessageDigest;
import java.security.Security;
import java.util.Arrays;
import java.util.Base64;
import org.bouncycastle.asn1.ess.ESSCertIDv2;
import org.bouncycastle.asn1.ess.SigningCertificateV2;
import org.bouncycastle.asn1.nist.NISTObjectIdentifiers;
import org.bouncycastle.asn1.pkcs.PKCSObjectIdentifiers;
import org.bouncycastle.cert.X509CertificateHolder;
import org.bouncycastle.cms.CMSException;
import org.bouncycastle.cms.CMSProcessableByteArray;
import org.bouncycastle.cms.CMSSignedData;
import org.bouncycastle.cms.CMSSignerDigestMismatchException;
import org.bouncycastle.cms.SignerInformation;
import org.bouncycastle.cms.jcajce.JcaSimpleSignerInfoVerifierBuilder;
import org.bouncycastle.jce.provider.BouncyCastleProvider;
import org.bouncycastle.operator.jcajce.JcaContentVerifierProviderBuilder;

/**
 * Verifies detached CMS with Bouncy Castle. Each line of standard input is base64 of the CMS, of the content and of the
 * root certificate, separated by spaces; each line of standard output is good, or bad and why.
 */
public class Verify {
    public static void main(String[] arguments) throws Exception {
        Security.addProvider(new BouncyCastleProvider());
        BufferedReader lines = new BufferedReader(new InputStreamReader(System.in));
        for (String line = lines.readLine(); line != null; line = lines.readLine()) {
            // An empty content leaves an empty field.
            String[] fields = line.split(" ", -1);
            Base64.Decoder base64 = Base64.getDecoder();
            String verdict;
            try {
                verdict = verify(base64.decode(fields[0]), base64.decode(fields[1]), base64.decode(fields[2]));
            } catch (CMSSignerDigestMismatchException mismatch) {
                verdict = "bad digest";
            } catch (CMSException unsupported) {
                verdict = "bad " + unsupported.getMessage().replace('\n', ' ');
            }
            System.out.println(verdict);
        }
    }

    private static String verify(byte[] cms, byte[] content, byte[] rootDer) throws Exception {
        CMSSignedData signed = new CMSSignedData(new CMSProcessableByteArray(content), cms);
        if (signed.getSignerInfos().size() != 1) {
            return "bad number of signers";
        }
        SignerInformation signer = signed.getSignerInfos().getSigners().iterator().next();
        X509CertificateHolder leaf =
            (X509CertificateHolder) signed.getCertificates().getMatches(signer.getSID()).iterator().next();
        X509CertificateHolder root = new X509CertificateHolder(rootDer);
        if (signed.getCertificates().getMatches(null).stream().noneMatch(root::equals)) {
            return "bad: the root is not among the certificates";
        }
        JcaContentVerifierProviderBuilder keys = new JcaContentVerifierProviderBuilder().setProvider("BC");
        if (!leaf.isSignatureValid(keys.build(root)) || !root.isSignatureValid(keys.build(root))) {
            return "bad chain";
        }
        SigningCertificateV2 binding = SigningCertificateV2.getInstance(
            signer.getSignedAttributes().get(PKCSObjectIdentifiers.id_aa_signingCertificateV2).getAttributeValues()[0]);
        ESSCertIDv2 id = binding.getCerts()[0];
        byte[] hash = MessageDigest.getInstance("SHA-256").digest(leaf.getEncoded());
        if (!id.getHashAlgorithm().getAlgorithm().equals(NISTObjectIdentifiers.id_sha256)
            || !Arrays.equals(id.getCertHash(), hash)) {
            return "bad signingCertificateV2";
        }
        boolean good = signer.verify(new JcaSimpleSignerInfoVerifierBuilder().setProvider("BC").build(leaf));
        return good ? "good" : "bad signature";
    }
}
